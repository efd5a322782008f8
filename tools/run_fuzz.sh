#!/usr/bin/env bash
# Runs each fuzz target for some seconds, from the seeds in fuzz/corpus and what earlier runs found.
# usage: tools/run_fuzz.sh BUILD_FOLDER SECONDS
set -euo pipefail
build="$1" seconds="$2" source="$(cd "$(dirname "$0")/.." && pwd)"

targets=0
for target in "$build"/fuzz/fuzz_*; do
    [ -x "$target" ] || continue
    targets=$((targets + 1))
    name="$(basename "$target")"
    found="$build/found/$name"
    mkdir -p "$found"
    echo "fuzz: $name for $seconds seconds; crashes go to $found"
    "$target" -max_total_time="$seconds" -print_final_stats=1 -timeout=10 -rss_limit_mb=4096 -close_fd_mask=1 \
        -artifact_prefix="$found/" "$found" "$source/fuzz/corpus/${name#fuzz_}"
done
[ "$targets" -gt 0 ] || { echo "fuzz: no target in $build/fuzz" >&2; exit 1; }
echo "fuzz: $targets targets, no crash"
