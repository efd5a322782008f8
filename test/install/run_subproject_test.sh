#!/usr/bin/env bash
# Builds a project that holds attend in a folder, and runs its program.
# usage: run_subproject_test.sh
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cmake -G Ninja -S "$here/subproject" -B "$work" -DATTEND_SOURCE="$here/../.." >/dev/null
cmake --build "$work" --target two_rows >/dev/null
printed="$("$work/two_rows")"
[ "$printed" = '[2.000, 2.462]' ] || { echo "subproject: printed $printed"; exit 1; }
