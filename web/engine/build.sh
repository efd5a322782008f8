#!/usr/bin/env bash
# Compiles the library and engine.c to WebAssembly.
# usage: web/engine/build.sh OUTPUT.wasm [FLAG OR SOURCE...]
set -euo pipefail
output="$(realpath -m "$1")"
shift
cd "$(dirname "$0")/../.."
mkdir -p "$(dirname "$output")"
objects="$(mktemp -d)"
trap 'rm -r "$objects"' EXIT

sources=(src/base/{check,elementary,half,memory,parallel,status,text}.c src/tensor/*.c src/problem/*.c src/stage/*.c
    src/kernel/{select,kernels_portable,kernels_portable_f64}.c src/fused/*.c src/api/*.c src/files/{example,example_check,fault}.c
    cli/{worked,number_text}.c web/engine/{engine,no_system}.c)

# The warnings and the floating-point rules of cmake/compile.cmake.
target=(clang-19 --target=wasm32-wasi -flto)
compile=("${target[@]}" -c -std=c11 -O2 -ffp-contract=off -fvisibility=hidden
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror
    -DATTEND_BUILD "-I$PWD/include" "-I$PWD/src" "-I$PWD/cli" "${sources[@]/#/$PWD/}")
(cd "$objects" && "${compile[@]}" "$@")

# A reactor is a module without main; nothing of it asks the system for anything, which the list of imports shows
# (web/test/engine.test.ts).  No -O here: clang would run wasm-opt, and Debian's does not know relaxed SIMD.
"${target[@]}" -mexec-model=reactor -Wl,--lto-O2,--strip-all,--gc-sections,-z,stack-size=262144 "$objects"/*.o -o "$output"
