"""attend and its peak, through their shared libraries."""
import ctypes
import os

DTYPES = {"f32": 1, "f16": 2, "bf16": 3, "f64": 4}
LIMIT_AHEAD, LIMIT_BACK = 1, 2


class Tensor(ctypes.Structure):  # attend_in and attend_out
    _fields_ = [("shape", ctypes.c_int64 * 4), ("stride", ctypes.c_int64 * 4), ("dtype", ctypes.c_int32),
                ("rank", ctypes.c_int32), ("data", ctypes.c_void_p)]


class Config(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("threads", ctypes.c_int32), ("allocator", ctypes.c_void_p * 3),
                ("executor", ctypes.c_void_p * 2), ("isa", ctypes.c_int32), ("reserved", ctypes.c_int32)]


class Problem(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("flags", ctypes.c_uint32)] + \
               [(name, ctypes.c_int64) for name in ("batch", "heads", "kv_heads", "queries", "keys", "head_width",
                                                    "value_width", "query_offset", "ahead", "back")] + \
               [("scale", ctypes.c_double), ("softcap", ctypes.c_double)]


def tensor(array, dtype):
    """A view of a C-contiguous numpy array; bf16 is an array of uint16."""
    made = Tensor(dtype=DTYPES[dtype], rank=array.ndim, data=array.ctypes.data)
    stride = 1
    for axis in reversed(range(array.ndim)):
        made.shape[axis], made.stride[axis] = array.shape[axis], stride
        stride *= array.shape[axis]
    return made


class Attend:
    """attend_forward on one context."""

    def __init__(self, folder, threads):
        self.library = ctypes.CDLL(os.path.join(folder, "libattend.so"))
        self.library.attend_message.restype = ctypes.c_char_p
        self.library.attend_message.argtypes = [ctypes.c_void_p]
        self.library.attend_version_text.restype = ctypes.c_char_p
        self.context = ctypes.c_void_p()
        config = Config(struct_size=ctypes.sizeof(Config), threads=threads)
        if self.library.attend_ctx_create(ctypes.byref(config), ctypes.byref(self.context)):
            raise RuntimeError("attend_ctx_create failed")

    def version(self):
        return self.library.attend_version_text().decode()

    def prepare(self, case, q, k, v, o):
        """A function that computes o from q, k, v (arrays of shape B, H, T, D)."""
        problem = Problem(struct_size=ctypes.sizeof(Problem), batch=q.shape[0], heads=q.shape[1], kv_heads=k.shape[1],
                          queries=q.shape[2], keys=k.shape[2], head_width=q.shape[3], value_width=v.shape[3],
                          query_offset=k.shape[2] - q.shape[2])
        if case.window:
            problem.flags |= LIMIT_AHEAD
        if case.window > 0:
            problem.flags |= LIMIT_BACK
            problem.back = case.window - 1
        tensors = [tensor(array, case.dtype) for array in (q, k, v, o)]
        places = [ctypes.byref(problem)] + [ctypes.byref(one) for one in tensors]

        def run(keep=(problem, tensors)):
            status = self.library.attend_forward(self.context, *places[:4], None, places[4], None)
            if status:
                raise RuntimeError(self.library.attend_message(self.context).decode())
        return run


class Peak:
    """What the machine can do at most, from the loops of cli/peak.c."""

    def __init__(self, folder, threads):
        self.library, self.threads = ctypes.CDLL(os.path.join(folder, "libattend_peak.so")), threads
        self.library.peak_flops.restype = ctypes.c_double
        self.library.peak_bytes.restype = ctypes.c_double
        self.library.peak_bytes.argtypes = [ctypes.c_int32, ctypes.c_void_p, ctypes.c_size_t]

    def flops(self, dtype):
        return self.library.peak_flops(DTYPES[dtype], self.threads)

    def bytes(self, array):
        return self.library.peak_bytes(self.threads, array.ctypes.data, array.nbytes)
