/* files.h - tensors in files, for libattend_model: numpy's .npy, .safetensors, and worked examples in
   JSON.  Everything attend.h says is TRUE OF EVERY FUNCTION holds here too.

   Limits: npy header 10,000 bytes, safetensors header 100,000,000 bytes, example 16 MiB, JSON depth 64,
   tensor name 1,024 bytes, rank 4.  A file over a limit is ATTEND_FORMAT (malformed) or
   ATTEND_UNSUPPORTED (well formed, but not for us), never a crash: every size is checked before it is used.
   Messages read "FILE: byte N: what (found X, allowed Y)"; names taken from a file are printed with control
   characters escaped and cut at 120 bytes.  Nothing in a file is ever executed. */
#ifndef ATTEND_FILES_H
#define ATTEND_FILES_H

#include "attend/attend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ==== 1. Tensors ============================================================================== */

typedef struct attend_file attend_file;    /* an open file: one tensor (npy) or many (safetensors)  */

/* Opens by content, not by name.  Data is memory-mapped and read in place where its type, byte order and
   alignment allow, else converted to a copy.  The whole directory is checked here: sizes, offsets, overlaps,
   the end of the file.
   Types: f16 bf16 f32 f64 as they are; bool and u8 as ATTEND_U8; i8 i16 u16 i32 u32 i64 u64 as ATTEND_I32
   (a value outside it is ATTEND_UNSUPPORTED when the tensor is asked for); others are ATTEND_UNSUPPORTED.
   npy: C or Fortran order, either byte order, versions 1.0 to 3.0; bf16 is numpy's two-byte void ("V2").
   Folders, devices and pipes have no size to check against: ATTEND_FILE.
   The file belongs to ctx: close it first.  On failure *file is NULL. */
ATTEND_API attend_status attend_file_open(attend_ctx *ctx, const char *path, attend_file **file);
ATTEND_API void          attend_file_close(attend_file *file);
/* Tensors in the file. */
ATTEND_API int64_t       attend_file_count(const attend_file *file);
/* Name of tensor index, in the order of the file; "" for the one of an npy file; NULL when index is outside
   0..count-1.  Valid until close. */
ATTEND_API const char   *attend_file_name(const attend_file *file, int64_t index);
/* The tensor called name: a borrowed view, valid until close; ctx is the one that opened the file.  ATTEND_FORMAT
   when there is none, with the nearest name in the message; ATTEND_FILE when the file was written to since it was
   opened (a file that was replaced, as attend_file_write does, stays what it was).  Who cuts a file short while a
   tensor of it is in use ends the process with SIGBUS: that is how mapped memory works. */
ATTEND_API attend_status attend_file_find(attend_ctx *ctx, attend_file *file, const char *name, attend_in *tensor);

typedef enum attend_file_format { ATTEND_NPY = 1, ATTEND_SAFETENSORS = 2 } attend_file_format;

/* Writes count tensors of any strides, in C order: ATTEND_NPY takes one (names may be NULL), ATTEND_SAFETENSORS
   any number with different names, UTF-8 without control characters.  The file appears whole or not at all: it
   is written beside path under another name, flushed, and renamed.  An existing file is replaced and its mode kept; a
   link is followed; a device or a pipe is written directly. */
ATTEND_API attend_status attend_file_write(attend_ctx *ctx, const char *path, attend_file_format format,
                                           const char *const *names, const attend_in *tensors, int64_t count);

/* ==== 2. Worked examples ====================================================================== */

/* A few tokens with their numbers, small enough to follow by hand, as JSON:
       {"tokens": ["it", "was", "tired"],
        "q": [[1,0],[0,1],[1,1]], "k": ..., "v": ...,                 rows = tokens
        or "x": [[...]] with "wq" "wk" "wv" (C rows; q = x wq) and perhaps "wo",
        "heads": 1, "kv_heads": 1, "positions": "none"|"sinusoidal"|"rotary",
        "causal": false, "scale": 0.5}
   tokens: T >= 1 strings, of any characters but U+0000.  heads, kv_heads: 1 to 65,536.
   q [T][heads*D], k [T][kv_heads*D], v [T][kv_heads*E]; x [T][C], wq [C][heads*D], wk [C][kv_heads*D],
   wv [C][kv_heads*E], wo [heads*E][any].  Either q, k, v or x, wq, wk, wv; wo with either.
   "sinusoidal" needs x, "rotary" an even D.  Unknown keys, and keys given twice, are errors.  A fault is
   ATTEND_FORMAT and names the line, the key and the two numbers: "cat.json: line 4: k has 3 rows, tokens has 4". */
typedef struct attend_example attend_example;

typedef enum attend_positions {
    ATTEND_POSITIONS_NONE = 0, ATTEND_POSITIONS_SINUSOIDAL = 1, ATTEND_POSITIONS_ROTARY = 2
} attend_positions;

/* A file, a pipe, or with path "-" standard input.  On failure *example is NULL. */
ATTEND_API attend_status attend_example_open(attend_ctx *ctx, const char *path, attend_example **example);
/* The same from length bytes of text; name is used in messages. */
ATTEND_API attend_status attend_example_parse(attend_ctx *ctx, const char *name, const char *text, size_t length,
                                              attend_example **example);

/* The same numbers in memory. */
typedef struct attend_example_parts {
    uint32_t           struct_size;
    int32_t            positions;          /* an attend_positions                                   */
    int64_t            tokens;             /* T                                                     */
    const char *const *token;              /* (T) texts in UTF-8                                    */
    int64_t            heads, kv_heads;    /* 0: not given                                          */
    int32_t            causal, has_scale;  /* 0 or 1; scale is read when has_scale is 1             */
    double             scale;
    attend_in          q, k, v, x, wq, wk, wv, wo;   /* f64 [rows, columns]; data NULL: not given   */
} attend_example_parts;

static inline attend_example_parts attend_example_parts_init(void)
{ attend_example_parts p; memset(&p, 0, sizeof p); p.struct_size = (uint32_t)sizeof p; return p; }

/* An example of copies of the parts; name is used in messages: "cat: k has 3 rows, tokens has 4". */
ATTEND_API attend_status attend_example_make(attend_ctx *ctx, const char *name, const attend_example_parts *parts,
                                             attend_example **example);
ATTEND_API void          attend_example_close(attend_example *example);

ATTEND_API int64_t          attend_example_tokens(const attend_example *example);              /* T       */
/* Token index as UTF-8; NULL outside 0..T-1.  Valid until close. */
ATTEND_API const char      *attend_example_token(const attend_example *example, int64_t index);
ATTEND_API int64_t          attend_example_heads(const attend_example *example);               /* H, 1 when not given */
ATTEND_API int64_t          attend_example_kv_heads(const attend_example *example);            /* G, H when not given */
ATTEND_API attend_positions attend_example_positions(const attend_example *example);
ATTEND_API int              attend_example_causal(const attend_example *example);              /* 0 or 1  */
/* 1 and *scale when the file gives "scale", else 0. */
ATTEND_API int              attend_example_scale(const attend_example *example, double *scale);
/* The matrix called "q", "k", "v", "x", "wq", "wk", "wv" or "wo" as f64 [rows, columns], a borrowed view valid
   until close; data NULL when the file does not give it. */
ATTEND_API attend_in        attend_example_matrix(const attend_example *example, const char *name);

#ifdef __cplusplus
}
#endif
#endif /* ATTEND_FILES_H */
