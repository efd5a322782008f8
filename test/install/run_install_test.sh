#!/usr/bin/env bash
# Installs a build into a folder, moves that folder, and uses the copy as others would: by pkg-config, by CMake, and by
# naming the library; in C and C++; shared and static.  Then the man pages and the completion.
# usage: run_install_test.sh BUILD_FOLDER VERSION
set -euo pipefail
build="$1" version="$2" here="$(cd "$(dirname "$0")" && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
expected='[2.000, 2.462]' # of the values 1 and 3: weights 1/2 and 1/2, then 1/(1+e) and e/(1+e)

check() { # check NAME COMMAND...: the command prints what is expected
    local name="$1" printed
    shift
    printed="$("$@")" || { echo "install: $name: exit status $?"; exit 1; }
    [ "$printed" = "$expected" ] || { echo "install: $name: printed $printed, expected $expected"; exit 1; }
    echo "install: $name: $printed"
}

cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/moved here"
prefix="$work/moved here"
if grep -rIl -e "$build" -e "$work/first" "$prefix"; then
    echo "install: the files above hold a path of the machine that built them"
    exit 1
fi

cd "$work"
ln -s "$prefix" prefix # pkg-config and the shell part words at blanks
export PKG_CONFIG_PATH="$work/prefix/lib/pkgconfig"
cc "$here/two_rows.c" $(pkg-config --cflags --libs attend) -o shared
LD_LIBRARY_PATH="$prefix/lib" check 'pkg-config attend' ./shared
cc -DWITH_MODEL "$here/two_rows.c" $(pkg-config --cflags --libs attend_model) -o model
LD_LIBRARY_PATH="$prefix/lib" check 'pkg-config attend_model' ./model
cc -static -DWITH_MODEL "$here/two_rows.c" $(pkg-config --static --cflags --libs attend_model) -o static
check 'pkg-config --static attend_model' ./static
cc -I prefix/include "$here/two_rows.c" -L prefix/lib -lattend "-Wl,-rpath,$prefix/lib" -o plain
check 'cc -lattend' ./plain
c++ -x c++ -I prefix/include "$here/two_rows.c" -L prefix/lib -lattend "-Wl,-rpath,$prefix/lib" -o plain_cpp
check 'c++ -lattend' ./plain_cpp

cmake -S "$here/found" -B found -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build found >/dev/null
for target in attend attend_static model model_static; do
    for language in c cpp; do
        check "find_package(attend), $target, $language" "found/${target}_$language"
    done
done

if [ -x "$prefix/bin/attend" ]; then
    [ "$("$prefix/bin/attend" --version)" = "attend $version" ] || { echo 'install: attend --version'; exit 1; }
    for page in "$prefix"/share/man/man1/*.1; do
        complaint="$(LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)"
        [ -z "$complaint" ] || { echo "install: $page: $complaint"; exit 1; }
    done
    MANPATH="$prefix/share/man" man attend-trace >page
    grep -q 'attend-trace - ' page || { echo 'install: man attend-trace'; exit 1; }
    completed="$(bash -c 'source "$1"; COMP_WORDS=(attend tr) COMP_CWORD=1; _attend; echo "${COMPREPLY[*]}"' \
        - "$prefix/share/bash-completion/completions/attend")"
    [ "$completed" = trace ] || { echo "install: completion of tr: $completed"; exit 1; }
    echo 'install: man pages and completion'
fi
