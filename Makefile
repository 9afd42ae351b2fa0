# The commands for developers and continuous integration. `make` lists them.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

# The options for both runs of `swift test`, for example TEST_FLAGS=--no-parallel. Without the width, all tests would
# run at the same time, and tests that wait for something would also wait for all the others.
TEST_FLAGS ?= --experimental-maximum-parallelization-width 16
# The options under ThreadSanitizer. It makes tests slower, so fewer run at the same time. The leak tests with tens of
# thousands of loads run only without it.
TSAN_FLAGS ?= --experimental-maximum-parallelization-width 6 --skip '^RetrieverTests\.LeaksTests'
# The tests that `make test` runs under ThreadSanitizer, and the targets that it builds for them. The random loads under
# ThreadSanitizer show the rest of URLSession.
TSAN_FILTER ?= ^TransferEngineTests\.
TSAN_TARGETS := TransferEngineTests
# Those that only `make test-threads` runs: all of code that shares state between threads. Codecs and kernels do not.
TSAN_SESSION_FILTER ?= ^(RetrieverTests|RetrieverBridgesTests)\.|^RetrieverImagesTests\.(Pipeline|Work|UIImage|Collage)
TSAN_KENNEL_FILTER ?= ^(HTTPService|ObjectStorage|PostgresClient|KennelStorage)Tests\.
# Those of them that run with PostgreSQL and a store: the model, and what the pages keep in memory.
TSAN_WORLD_FILTER ?= ^Kennel(Model|Peers)Tests\.|^KennelWebTests\.(ActiveUploads|CachedCounts|ReadyPages|Thumbnail|Web(Event|Page|Worker))
# The tests that depend on libcurl, for the runs with a second version of it.
CURL_FILTER ?= ^(TransferEngineTests|RetrieverTests|ConformanceTests)\.
# The tests of Kennel that also run with PostgreSQL and with photos in a store.
WORLD_FILTER ?= ^Kennel(Command|Model|Peers|Web)Tests\.|^StoredPhotosTests\.RemovalRound
# Those of them that do not depend on where a kennel is.
WORLD_SKIP ?= ^KennelCommandTests\.(Certificate|Drawing|Litter|Load(Listeners|Slow)|Manual|Settings|Variables)
# The load tests of Kennel for ThreadSanitizer, without those that measure seconds or kill the program.
TSAN_LOAD := ^KennelCommandTests\.Load(Hearts|SlowListener|SlowUpload)
# The minutes for which `make test` runs random loads under ThreadSanitizer.
SOAK_MINUTES ?= 0.5
# The program that `make run` starts, and its arguments.
DEMO ?= kennel
# `kennel demo` generates pictures of dogs. retriever-demo takes no arguments.
ARGS ?= $(if $(filter kennel,$(DEMO)),demo)
# With other flags than those of the tests, everything would be built again.
RUN_FLAGS = $(shell scripts/build-package --flags)
# Kennel is a package of its own. It uses the same folder as the root package, so the libraries are built only once.
KENNEL := --package-path Kennel --scratch-path .build

# Where `make install` puts the programs, and which ones.
PREFIX ?= /usr/local
PROGRAMS ?= retriever kennel adopt

DIFFERENTIAL := --package-path Benchmarks --scratch-path .build/benchmarks
PEERS := build/peers/curl-client build/peers/holder build/peers/go-client build/peers/jpeg-decode \
	build/peers/trickle build/peers/crowd build/peers/stream build/peers/stalled-lookup.so build/peers/system-store.so \
	build/peers/count-calls.so
CFLAGS_PEERS := -std=c11 -O2 -Wall -Wextra -Werror

.PHONY: help setup setup-build setup-test setup-bench setup-package run overlay install deb check-deb api test \
	test-plain test-sanitizers test-fast test-threads test-threads-session test-threads-kennel test-curl test-http3 test-negotiate test-stores \
	test-worlds test-adopt adopt fuzz bench bench-page lint docs conformance differential soak clean
# The steps run one after the other; only `make test` has two parts that run at the same time.
.NOTPARALLEL:

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

setup: ## install everything for building, testing and benchmarks (other targets do this automatically)
	@scripts/setup build test bench

setup-build: # internal: the packages for building
	@scripts/setup build

setup-test: # internal: the packages for tests
	@scripts/setup build test

setup-package: # internal: the packages for making Debian packages
	@scripts/setup build package

setup-bench: # internal: the packages for benchmarks
	@scripts/setup build bench

run: setup-build ## run Kennel with generated pictures of dogs; DEMO=retriever-demo for a tour of Retriever
	swift run $(RUN_FLAGS) $(if $(filter kennel,$(DEMO)),$(KENNEL)) $(DEMO) $(ARGS)

overlay: setup-build ## make build/overlay, which builds packages that import FoundationNetworking with Retriever
	@scripts/overlay

install: setup-build ## build the programs and install them; PREFIX=/usr/local DESTDIR= PROGRAMS="retriever kennel adopt"
	scripts/stage '$(DESTDIR)' '$(PREFIX)' $(PROGRAMS)

deb: setup-package ## build a Debian package of each program in build/packages
	scripts/package $(PROGRAMS)

check-deb: ## install, run and remove the packages of build/packages in a new Debian without Swift; needs root
	@scripts/setup package
	scripts/check-packages

api: setup-test ## check that the changelog names each change of the libraries' interface
	scripts/build-package . .build
	scripts/build-package Kennel .build
	scripts/check-api

test: setup-build ## run all tests, also under sanitizers, and check the built programs; the logs are build/test*.log
	@rm -f build/unsteady build/test*.log
	@# In a terminal, sudo may ask for a password. Otherwise the builds do not wait for what only tests need.
	@if [ -t 0 ]; then scripts/setup build test browser stores; fi
	@# Tests often wait, so builds of the other part use the processors meanwhile. Each part has folders of its own.
	@scripts/setup build test browser stores & setup=$$!; \
		TEST_LOG=build/test-sanitizers.log $(MAKE) --no-print-directory test-sanitizers & sanitizers=$$!; \
		status=0; $(MAKE) --no-print-directory test-plain || status=$$?; wait $$sanitizers || status=$$?; \
		wait $$setup || true; exit $$status
	@if [ -s build/unsteady ]; then echo "test: these tests failed in parallel and passed alone:"; cat build/unsteady; fi
	@echo "test: all tests passed"

test-plain: # internal: the part of `make test` without sanitizers and adopt
	@scripts/step 'build' scripts/build-package . .build --build-tests
	@scripts/setup build test
	@scripts/test-swift 'tests' 900 $(TEST_FLAGS)
	@scripts/step 'linked libraries' scripts/check-links
	@scripts/step 'build of Kennel' scripts/build-package Kennel .build --build-tests
	@scripts/test-swift "Kennel's tests" 900 $(KENNEL) $(TEST_FLAGS)
	@TEST_WORLD=postgres scripts/test-swift "Kennel's tests with PostgreSQL" 900 $(KENNEL) $(TEST_FLAGS) \
		--filter '$(WORLD_FILTER)' --skip '$(WORLD_SKIP)'
	@BUILT=1 scripts/test-stores
	@scripts/step 'linked libraries of Kennel' scripts/check-links Kennel
	@scripts/step 'use from another package' scripts/check-outside
	@scripts/step 'use by packages that import FoundationNetworking' scripts/check-overlay
	@scripts/step 'examples' scripts/check-examples
	@scripts/step 'bridges for OpenCombine' scripts/check-opencombine
	@scripts/step 'interface and changelog' scripts/check-api
	@scripts/step 'symbols of FoundationNetworking' scripts/check-symbols
	@scripts/step 'list of symbols' scripts/symbol-table --check
	@scripts/step 'benchmark results' scripts/check-benchmarks
	@scripts/step 'targets of make help' scripts/test-make-help
	@scripts/step 'release' scripts/release --dry-run 99.0.0
	@scripts/step 'page in a browser' scripts/test-page

test-sanitizers: export RETRIEVER_TEST_TARGETS := $(TSAN_TARGETS)
test-sanitizers: # internal: the part of `make test` with sanitizers, and the tests of adopt
	@# What does not depend on time leaves the processors to the builds and tests of the other part.
	@nice scripts/step 'adopt' scripts/test-adopt
	@nice scripts/step 'random input' scripts/fuzz 1
	@nice scripts/step 'build for ThreadSanitizer' scripts/build-package . .build/tsan --sanitize=thread \
		--product retrieverPackageTests
	@scripts/test-threads . '$(TSAN_FILTER)' $(TSAN_FLAGS)
	@scripts/step 'random loads under ThreadSanitizer' scripts/soak $(SOAK_MINUTES) thread

adopt: setup-build ## build adopt, the tool for completion handlers, into build/adopt
	swift build --package-path Adopt --scratch-path .build/adopt -c release --product adopt
	@mkdir -p build
	ln -sfn "$$(swift build --package-path Adopt --scratch-path .build/adopt -c release --show-bin-path)/adopt" build/adopt
	@echo "adopt: run build/adopt --help for usage"

test-adopt: setup-test ## run the tests of adopt completely, and the plug-in in other packages
	scripts/test-adopt --complete
	scripts/check-adopt-plugin url
	scripts/check-adopt-plugin path

test-threads: setup-test ## run the tests of shared state under ThreadSanitizer
	@scripts/test-threads . '$(TSAN_FILTER)|$(TSAN_SESSION_FILTER)' $(TSAN_FLAGS)
	@$(MAKE) --no-print-directory test-threads-kennel

test-threads-session: setup-test # internal: the part of `make test-threads` for sessions, images and bridges
	@scripts/test-threads . '$(TSAN_SESSION_FILTER)' $(TSAN_FLAGS)

test-threads-kennel: setup-test # internal: the part of `make test-threads` for Kennel
	@scripts/test-threads Kennel '$(TSAN_KENNEL_FILTER)' $(TSAN_FLAGS)
	@TEST_WORLD=postgres scripts/test-threads Kennel '$(TSAN_WORLD_FILTER)' $(TSAN_FLAGS)
	@scripts/test-threads Kennel '$(TSAN_LOAD)' --no-parallel

test-fast: setup-test ## run the tests once, without sanitizers and other checks
	@rm -f build/unsteady build/test*.log
	@scripts/step 'build' scripts/build-package . .build --build-tests
	@scripts/test-swift 'tests' 900 $(TEST_FLAGS)
	@scripts/step 'build of Kennel' scripts/build-package Kennel .build --build-tests
	@scripts/test-swift "Kennel's tests" 900 $(KENNEL) $(TEST_FLAGS)

test-worlds: setup-test ## run the tests of Kennel with PostgreSQL and a store
	@scripts/step 'build of Kennel' scripts/build-package Kennel .build --build-tests
	@TEST_WORLD=postgres scripts/test-swift "Kennel's tests with PostgreSQL and a store" 900 $(KENNEL) $(TEST_FLAGS) \
		--filter '$(WORLD_FILTER)' --skip '$(WORLD_SKIP)'

soak: setup-test ## run random loads against servers that misbehave (default: MINUTES=1); SEED=n repeats a run
	scripts/soak $(or $(MINUTES),1) plain

test-curl: setup-test ## run engine, session and conformance tests with the newest libcurl of Debian's backports
	scripts/build-package . .build --build-tests
	scripts/test-newest-curl 'tests with the newest libcurl' 900 $(TEST_FLAGS) --filter '$(CURL_FILTER)'

test-http3: setup-test ## run the tests of HTTP/3 with caddy, and with the libcurl of Debian's backports that has it
	scripts/test-http3

test-negotiate: setup-test ## run the tests of Negotiate, with a Kerberos server, and Apache as server and proxy
	scripts/test-negotiate

test-stores: setup-test ## run the tests of the client of S3-compatible stores with OpenStack Swift
	scripts/test-stores

bench: setup-bench $(PEERS) ## measure this project and its peers; ONLY=name for some rows
	scripts/bench

bench-page: setup-build ## write docs/benchmarks.md and its chart again, without measuring
	scripts/bench page

build/peers/curl-client: Benchmarks/peers/curl_client.c Benchmarks/peers/curl_loop.c Benchmarks/peers/curl_loop.h
	@mkdir -p $(@D)
	gcc $(CFLAGS_PEERS) -o $@ $(filter %.c,$^) -lcurl

build/peers/holder: Benchmarks/peers/holder.c
	@mkdir -p $(@D)
	gcc $(CFLAGS_PEERS) -o $@ $<

build/peers/jpeg-decode: Benchmarks/peers/jpeg_decode.c
	@mkdir -p $(@D)
	gcc $(CFLAGS_PEERS) -o $@ $< -ljpeg

build/peers/trickle: Benchmarks/peers/trickle.c
	@mkdir -p $(@D)
	gcc $(CFLAGS_PEERS) -o $@ $<

build/peers/crowd: Benchmarks/peers/crowd.c
	@mkdir -p $(@D)
	gcc $(CFLAGS_PEERS) -o $@ $<

build/peers/stalled-lookup.so: Benchmarks/peers/stalled_lookup.c
	@mkdir -p $(@D)
	gcc $(CFLAGS_PEERS) -shared -fPIC -o $@ $<

build/peers/system-store.so: Benchmarks/peers/system_store.c
	@mkdir -p $(@D)
	gcc $(CFLAGS_PEERS) -shared -fPIC -o $@ $<

build/peers/count-calls.so: Benchmarks/peers/count_calls.c
	@mkdir -p $(@D)
	gcc $(CFLAGS_PEERS) -shared -fPIC -o $@ $<

build/peers/stream: Benchmarks/peers/stream.c
	@mkdir -p $(@D)
	gcc $(CFLAGS_PEERS) -o $@ $< -lmicrohttpd

build/peers/go-client: $(wildcard Benchmarks/peers/go/*.go) Benchmarks/peers/go/go.mod
	@mkdir -p $(@D)
	cd $(<D) && CGO_ENABLED=0 GOFLAGS=-trimpath GOCACHE=$(CURDIR)/build/go-cache go build -o $(CURDIR)/$@ .

fuzz: setup-build ## fuzz the image decoders and the parsers of challenges under libFuzzer and AddressSanitizer; FUZZ_SECONDS=600 for each codec
	scripts/fuzz $(or $(FUZZ_SECONDS),60)

lint: setup-build ## check formatting and the project's own rules
	@scripts/lint

docs: setup-build ## build the documentation as a web site in build/docs
	@scripts/docs

conformance: setup-test ## run the same checks against Retriever, FoundationNetworking and curl
	scripts/conformance

differential: setup-test ## send the same raw replies to curl and to Retriever; writes docs/differences-from-curl.md
	swift build $(DIFFERENTIAL) --product differential
	scripts/within 300 "$$(swift build $(DIFFERENTIAL) --show-bin-path)/differential" docs/differences-from-curl.md

clean: ## remove all build products and generated files
	rm -rf .build build {Kennel,Adopt,Benchmarks,Examples,Tests/Outside,Tests/Benchmarks}/.build
