"""OpenVINO: ScaledDotProductAttention.  It has no grouped heads, so it gets keys and values repeated."""
import numpy
import openvino
from openvino import opset13

NAME, VERSION = "OpenVINO", openvino.__version__.split("-")[0]


def prepare(case, threads, q, k, v):
    if case.window > 0:
        raise NotImplementedError("no sliding window but by a mask of the whole grid")
    if case.dtype == "bf16":
        raise NotImplementedError("no bf16 arrays from Python")
    group = case.heads // case.kv_heads
    arrays = [q, numpy.repeat(k, group, axis=1), numpy.repeat(v, group, axis=1)]
    kind = {"f32": openvino.Type.f32, "f16": openvino.Type.f16}[case.dtype]
    parameters = [opset13.parameter(array.shape, kind) for array in arrays]
    causal = case.window == -1 and case.queries > 1
    node = opset13.scaled_dot_product_attention(*parameters, causal=causal)
    core = openvino.Core()
    compiled = core.compile_model(openvino.Model([node], parameters, "attention"), "CPU", {
        "INFERENCE_NUM_THREADS": threads, "INFERENCE_PRECISION_HINT": "f32" if case.dtype == "f32" else "f16",
        "NUM_STREAMS": 1})
    request = compiled.create_infer_request()
    for index, array in enumerate(arrays):
        request.set_input_tensor(index, openvino.Tensor(array, shared_memory=True))

    def run(keep=arrays):
        request.infer()
    return run, lambda: request.get_output_tensor().data.astype(numpy.float32)
