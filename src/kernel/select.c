#include "kernel/select.h"

#include <stddef.h>

#include "kernel/pairs.h"

#ifdef AT_HAVE_X86
/* These ask the operating system too: registers that it does not save do not count. */
static int has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
}
static int has_avx512(void) {
    return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
static int has_avx512_bf16(void) { return has_avx512() && __builtin_cpu_supports("avx512bf16"); }
#endif

const at_kernels *at_kernels_of(attend_isa isa) {
    switch (isa) {
#define AT_ISA(constant, name, doubles, condition) \
    case constant: return (condition) ? &at_kernels_##name : NULL;
#include "kernel/isa.def"
#undef AT_ISA
    default: return NULL;
    }
}

#define AT_ISA(constant, name, doubles, condition) extern const struct at_kernels_f64 at_kernels_##doubles##_f64;
#include "kernel/isa.def"
#undef AT_ISA

const struct at_kernels_f64 *at_kernels_f64_of(attend_isa isa) {
    switch (isa) {
#define AT_ISA(constant, name, doubles, condition) \
    case constant: return (condition) ? &at_kernels_##doubles##_f64 : NULL;
#include "kernel/isa.def"
#undef AT_ISA
    default: return NULL;
    }
}

enum {
#define AT_ISA(constant, name, doubles, condition) isa_##name = constant,
#include "kernel/isa.def"
#undef AT_ISA
};

attend_isa at_kernels_f64_from(attend_isa isa) {
    switch (isa) {
#define AT_ISA(constant, name, doubles, condition) \
    case constant: return (attend_isa)isa_##doubles;
#include "kernel/isa.def"
#undef AT_ISA
    default: return isa;
    }
}

const char *at_kernels_refusal(attend_isa isa) {
    switch (isa) {
#define AT_ISA(constant, name, doubles, condition) \
    case constant: return (condition) ? NULL : "this processor, or its operating system, lacks it";
#include "kernel/isa.def"
#undef AT_ISA
    default: return "it is not compiled into this build";
    }
}

attend_isa at_kernels_best(void) {
    attend_isa best = ATTEND_ISA_PORTABLE;
#define AT_ISA(constant, name, doubles, condition) best = (condition) ? (constant) : best;
#include "kernel/isa.def"
#undef AT_ISA
    return best;
}

const at_pairs *at_pairs_of(attend_isa isa) {
#ifdef AT_HAVE_X86
    if (isa == ATTEND_ISA_AVX512 && has_avx512_bf16())
        return &at_pairs_avx512;
#endif
    (void)isa;
    return NULL;
}
