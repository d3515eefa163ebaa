# Two commands on a fresh machine: `make demo` and `make test`. `make help` lists the others.
# Every target says what it does and how long it took; the work is in tools/ and in the CMake presets.
SHELL := /bin/bash
PREFIX ?= /usr/local
.DEFAULT_GOAL := build
.NOTPARALLEL:
.PHONY: help deps build demo test check soak install docs francu clean

help:
	@echo 'make          install missing system packages, build build/release/sinew, tests and benchmarks'
	@echo 'make demo     install missing packages, build the command alone, run the showcase scene, film it to out/demo/'
	@echo 'make test     build everything, then run every test, every scene and the embedding example'
	@echo 'make check    sanitizers, short fuzzing, layers, lengths, docs, clang-tidy (under 20 minutes)'
	@echo 'make soak     the long checks, in parts: thread sanitizer, long fuzzing, big oracles (hours)'
	@echo 'make install  install headers, library, command and CMake package to PREFIX=$(PREFIX)'
	@echo 'make docs     regenerate the pages that the program writes, then check all pages'
	@echo 'make francu   run the studies of scenes/paper/francu_2016 again (best on a quiet machine)'
	@echo 'make clean    remove build/ and out/'

deps:
	@tools/install_deps.sh

build: deps
	@tools/build.sh release

demo:
	@tools/demo.sh --plan
	@tools/install_deps.sh
	@tools/build.sh release sinew-app
	@tools/demo.sh

test: build
	@tools/test.sh

check: deps
	@tools/check.sh

soak: deps
	@tools/soak.sh

install: build
	@echo "==> install to $(PREFIX)"
	@cmake --install build/release --prefix $(PREFIX)

docs: build
	@tools/docs.sh

francu: build
	@tools/francu.sh --overwrite

clean:
	rm -rf build out
