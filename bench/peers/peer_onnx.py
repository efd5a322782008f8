"""ONNX Runtime: MultiHeadAttention for what is full, GroupQueryAttention for what is causal or grouped, on the layout that
each wants (tokens before heads), with outputs that are there already."""
import numpy
import onnxruntime
from onnx import TensorProto, helper

NAME, VERSION = "ONNX Runtime", onnxruntime.__version__
TYPES = {"f32": TensorProto.FLOAT, "f16": TensorProto.FLOAT16}


def tokens_first(array):
    """(B, H, T, D) -> (B, T, H D)."""
    batch, heads, tokens, width = array.shape
    return numpy.ascontiguousarray(array.transpose(0, 2, 1, 3)).reshape(batch, tokens, heads * width)


def model(case, inputs, outputs, operator, **attributes):
    node = helper.make_node(operator, [name for name, _, _ in inputs], [name for name, _, _ in outputs],
                            domain="com.microsoft", **attributes)
    describe = [[helper.make_tensor_value_info(*one) for one in side] for side in (inputs, outputs)]
    graph = helper.make_graph([node], "attention", *describe)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)])
    made.ir_version = 10
    return made.SerializeToString()


def full_model(case, kind, given):
    inputs = [(name, kind, given[name].shape) for name in ("query", "key", "value")]
    return model(case, inputs, [("output", kind, given["query"].shape)], "MultiHeadAttention", num_heads=case.heads)


def grouped_model(case, kind, given):
    inputs = [(name, kind, given[name].shape) for name in ("query", "key", "value", "past_key", "past_value")]
    inputs += [(name, TensorProto.INT32, given[name].shape) for name in ("seqlens_k", "total_sequence_length")]
    present = (1, case.kv_heads, case.keys, case.width)
    outputs = [("output", kind, given["query"].shape), ("present_key", kind, present), ("present_value", kind, present)]
    return model(case, inputs, outputs, "GroupQueryAttention", num_heads=case.heads, kv_num_heads=case.kv_heads)


def prepare(case, threads, q, k, v):
    if case.dtype not in TYPES:
        raise NotImplementedError("no bf16 on CPUs")
    full = case.window == 0 and case.heads == case.kv_heads
    if case.window > 0 or (case.window == 0 and not full):
        raise NotImplementedError("not offered")
    given = {"query": tokens_first(q), "key": tokens_first(k), "value": tokens_first(v)}
    if not full:
        past = case.keys - case.queries  # the cache; what is new is given apart
        given["key"], given["value"] = tokens_first(k[:, :, past:]), tokens_first(v[:, :, past:])
        given["past_key"] = numpy.ascontiguousarray(k[:, :, :past])
        given["past_value"] = numpy.ascontiguousarray(v[:, :, :past])
        given["seqlens_k"] = numpy.array([case.keys - 1], numpy.int32)
        given["total_sequence_length"] = numpy.array([case.keys], numpy.int32)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession((full_model if full else grouped_model)(case, TYPES[case.dtype], given), options,
                                           providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    values = {name: onnxruntime.OrtValue.ortvalue_from_numpy(array) for name, array in given.items()}
    for name, value in values.items():
        binding.bind_ortvalue_input(name, value)
    outputs = {one.name: onnxruntime.OrtValue.ortvalue_from_shape_and_type(one.shape, q.dtype.type)
               for one in session.get_outputs()}
    for name, value in outputs.items():
        binding.bind_ortvalue_output(name, value)

    def result():
        flat = outputs["output"].numpy().reshape(1, case.queries, case.heads, case.width)
        return flat.transpose(0, 2, 1, 3).astype(numpy.float32)
    return lambda keep=values: session.run_with_iobinding(binding), result
