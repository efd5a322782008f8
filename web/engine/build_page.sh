#!/usr/bin/env bash
# Compiles the two modules of the page, plain and with SIMD for browsers that have it, and makes them small.
# usage: web/engine/build_page.sh FOLDER
set -euo pipefail
folder="$1"
build="$(dirname "$0")/build.sh"
"$build" "$folder/engine.wasm" -Oz
"$build" "$folder/engine_simd.wasm" -Oz -msimd128
for module in engine engine_simd; do
    wasm-opt -Oz --enable-simd --enable-bulk-memory --enable-sign-ext --enable-nontrapping-float-to-int \
        --enable-mutable-globals "$folder/$module.wasm" -o "$folder/$module.wasm"
done
