# Thin: every rule calls the presets of CMakePresets.json.  `make` alone lists the rules.

PREFIX  ?= /usr/local
SECONDS ?= 60

.PHONY: help run build page test install asan tsan fuzz coverage format lint clean

help:     ## list these rules
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-9s %s\n", $$1, $$2}' Makefile

run: build ## build the program and watch it work out two examples by hand
	build/release/attend trace --example napkin
	build/release/attend trace --example cat
	@echo 'That was attention. Next: build/release/attend --help, and README.md'

build:    ## build build/release/attend and nothing else
	@tools/setup build
	cmake --preset release
	cmake --build --preset release --target attend_program

page:     ## build the interactive page, build/page/attention.html; then make build puts it into the program
	@tools/setup page
	web/engine/build_page.sh build/page
	[ web/node_modules/.package-lock.json -nt web/package-lock.json ] || npm --prefix web ci --no-progress
	npm --prefix web run build

test:     page ## run every test, plain and under the address and undefined-behaviour sanitizers
	@tools/setup build test
	cmake --preset release
	cmake --build --preset release
	cmake --preset asan
	cmake --build --preset asan
	@echo 'subdirs(release asan)' >build/CTestTestfile.cmake # one run over both, with one closing line
	ctest --test-dir build --output-on-failure --no-tests=error --parallel $$(nproc)

install:  ## install libraries, headers, program, man pages and completion: PREFIX=/usr/local DESTDIR=
	@tools/setup build
	cmake --preset release
	cmake --build --preset release --target attend_product
	cmake --install build/release --prefix "$(abspath $(PREFIX))"
	@[ -n "$(DESTDIR)" ] || [ "$$(id -u)" -ne 0 ] || ldconfig # so that programs find the library at once

asan:     ## all tests under the address and undefined-behaviour sanitizers
	@tools/setup build test
	cmake --preset asan
	cmake --build --preset asan
	ctest --preset asan

tsan:     ## all tests under the thread sanitizer
	@tools/setup build test
	cmake --preset tsan
	cmake --build --preset tsan
	ctest --preset tsan

fuzz:     ## run each fuzz target for SECONDS=60
	@tools/setup build test
	cmake --preset fuzz
	cmake --build --preset fuzz
	tools/run_fuzz.sh build/fuzz $(SECONDS)

coverage: ## how many lines of src the tests reach; fails under 95 %
	@tools/setup build test develop
	cmake --preset coverage
	cmake --build --preset coverage
	find build/coverage -name '*.gcda' -delete
	ctest --preset coverage
	gcovr --root . --filter src/ --fail-under-line 95 build/coverage

format:   ## lay all C files out as .clang-format says
	@tools/setup test
	tools/check_format.sh --fix

lint:     ## check layout and run clang-tidy
	@tools/setup build test develop
	tools/check_format.sh
	cmake --preset clang
	cmake --build --preset clang --target attend_generated
	run-clang-tidy-19 -quiet -p build/clang "$(CURDIR)/(src|cli)/"

clean:    ## remove everything that was built
	rm -rf build
