"""torch.nn.functional.scaled_dot_product_attention."""
import numpy
import torch
from torch.nn.functional import scaled_dot_product_attention

NAME, VERSION = "PyTorch", torch.__version__.split("+")[0]
TYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16}


def convert(array, dtype):
    if dtype == "bf16":
        return torch.from_numpy(array.view(numpy.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def prepare(case, threads, q, k, v):
    if case.window > 0:
        raise NotImplementedError("no sliding window but by a mask of the whole grid")
    torch.set_num_threads(threads)
    q, k, v = (convert(array, case.dtype) for array in (q, k, v))
    causal, grouped = case.window == -1 and case.queries > 1, case.heads != case.kv_heads

    def run():
        with torch.inference_mode():
            run.result = scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=grouped)
    return run, lambda: run.result.float().numpy()
