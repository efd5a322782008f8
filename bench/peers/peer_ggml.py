"""ggml_flash_attn_ext of the library that llama-cpp-python brings, with sums in f32."""
import ctypes
import os

import llama_cpp
import numpy

NAME, VERSION = "ggml", "llama-cpp-python " + llama_cpp.__version__
TYPES = {"f32": 0, "f16": 1, "bf16": 30}
PREC_F32 = 10
FOLDER = os.path.join(os.path.dirname(llama_cpp.__file__), "lib")
BASE = ctypes.CDLL(os.path.join(FOLDER, "libggml-base.so"), mode=ctypes.RTLD_GLOBAL)
CPU = ctypes.CDLL(os.path.join(FOLDER, "libggml-cpu.so"), mode=ctypes.RTLD_GLOBAL)


class InitParams(ctypes.Structure):
    _fields_ = [("mem_size", ctypes.c_size_t), ("mem_buffer", ctypes.c_void_p), ("no_alloc", ctypes.c_bool)]


POINTER, INT64, FLOAT = ctypes.c_void_p, ctypes.c_int64, ctypes.c_float
for library, name, result, arguments in (
        (BASE, "ggml_init", POINTER, [InitParams]), (BASE, "ggml_free", None, [POINTER]),
        (BASE, "ggml_new_tensor_4d", POINTER, [POINTER, ctypes.c_int, INT64, INT64, INT64, INT64]),
        (BASE, "ggml_get_data", POINTER, [POINTER]), (BASE, "ggml_new_graph", POINTER, [POINTER]),
        (BASE, "ggml_flash_attn_ext", POINTER, [POINTER] * 5 + [FLOAT] * 3),
        (BASE, "ggml_flash_attn_ext_set_prec", None, [POINTER, ctypes.c_int]),
        (BASE, "ggml_build_forward_expand", None, [POINTER, POINTER]),
        (CPU, "ggml_graph_compute_with_ctx", ctypes.c_int, [POINTER, POINTER, ctypes.c_int])):
    function = getattr(library, name)
    function.restype, function.argtypes = result, arguments
CPU.ggml_cpu_init()


def put(context, array, kind):
    batch, heads, tokens, width = array.shape
    made = BASE.ggml_new_tensor_4d(context, kind, width, tokens, heads, batch)
    ctypes.memmove(BASE.ggml_get_data(made), array.ctypes.data, array.nbytes)
    return made


def causal_mask(case):
    """(rows, keys) of f16: -infinity where a key is hidden; rows are padded to a multiple of 64."""
    rows = (case.queries + 63) // 64 * 64
    row, key = numpy.ogrid[:rows, :case.keys]
    mask = numpy.zeros((1, 1, rows, case.keys), numpy.float16)
    mask[0, 0][key > row + case.keys - case.queries] = -numpy.inf
    return mask


def prepare(case, threads, q, k, v):
    if case.window > 0:
        raise NotImplementedError("no sliding window but by a mask of the whole grid")
    queries = q.astype(numpy.float32) if q.dtype == numpy.float16 else q
    if case.dtype == "bf16":  # queries are f32 there
        queries = (q.astype(numpy.uint32) << 16).view(numpy.float32)
    size = queries.nbytes * 4 + k.nbytes + v.nbytes + case.queries * case.keys * 4 + (2 << 30)  # a graph and its work space for each run; untouched memory costs nothing
    context = BASE.ggml_init(InitParams(size, None, False))
    tensors = [put(context, queries, TYPES["f32"])] + [put(context, array, TYPES[case.dtype]) for array in (k, v)]
    masked = case.window == -1 and case.queries > 1
    tensors.append(put(context, causal_mask(case), TYPES["f16"]) if masked else None)
    node = BASE.ggml_flash_attn_ext(context, *tensors, case.width ** -0.5, 0.0, 0.0)
    BASE.ggml_flash_attn_ext_set_prec(node, PREC_F32)

    def run():
        graph = BASE.ggml_new_graph(context)
        BASE.ggml_build_forward_expand(graph, node)
        if CPU.ggml_graph_compute_with_ctx(context, graph, threads):
            raise RuntimeError("ggml_graph_compute_with_ctx failed")

    def result():
        count = case.queries * case.heads * case.width
        flat = numpy.ctypeslib.as_array(ctypes.cast(BASE.ggml_get_data(node), ctypes.POINTER(FLOAT)), (count,))
        return flat.reshape(1, case.queries, case.heads, case.width).transpose(0, 2, 1, 3).copy()
    run.release = lambda: BASE.ggml_free(context)
    return run, result
