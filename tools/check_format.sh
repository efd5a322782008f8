#!/usr/bin/env bash
# Checks that every C file but the public headers is laid out as .clang-format says; --fix lays them out.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -d '' files < <(find src cli test fuzz examples bench -name '*.[ch]' -print0 | sort -z)
if [ "${1-}" = --fix ]; then
    clang-format-19 -i "${files[@]}"
    exit 0
fi
wrong=0
for file in "${files[@]}"; do
    clang-format-19 "$file" | cmp -s - "$file" || { echo "$file: make format lays it out"; wrong=$((wrong + 1)); }
done
echo "check_format: ${#files[@]} files, $wrong faults"
[ "$wrong" -eq 0 ]
