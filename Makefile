# Everything a person or a CI machine does with this checkout. `make` alone lists it.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

# Passed on to `swift test` in both of its runs, for example TEST_FLAGS=--no-parallel. Without the width, all tests
# would be under way at once, and those that wait for something would wait for all the others as well.
TEST_FLAGS ?= --experimental-maximum-parallelization-width 16
# Fewer at a time: each takes longer there, and so do those that wait in between. What is left behind by tens of thousands
# of loads is measured without it.
TSAN_FLAGS ?= --experimental-maximum-parallelization-width 6 --skip '^RetrieverTests\.LeaksTests'
# Kennel's tests draw, hash passwords and kill writers: beside them, those that measure time would wait for a processor.
BUSY_TESTS := ^Kennel
# What ThreadSanitizer looks at: all that shares state between threads. Codecs and kernels share none.
TSAN_FILTER ?= ^(TransferEngineTests|RetrieverTests)\.|^RetrieverImagesTests\.(Pipeline|Work|UIImage|Collage)|^(HTTPService|RetrieverBridges|KennelCore)Tests\.
# What stands on libcurl, for the runs with a second version of it.
CURL_FILTER ?= ^(TransferEngineTests|RetrieverTests|ConformanceTests)\.
# Programs of our own under load; what is measured to the second, or killed, is left out.
TSAN_LOAD := ^KennelCommandTests\.Load(Hearts|SlowListener|SlowUpload)
# How long `make test` runs random loads under each sanitizer.
SOAK_MINUTES ?= 2
# What `make run` starts, and with which arguments.
DEMO ?= kennel
# Kennel is told to draw a litter of dogs; the other demonstration takes no argument.
ARGS ?= $(if $(filter kennel,$(DEMO)),demo)

BENCHMARKS := --package-path Benchmarks --scratch-path .build/benchmarks -c release
DIFFERENTIAL := --package-path Benchmarks --scratch-path .build/benchmarks
PEERS := build/peers/curl-client build/peers/holder build/peers/go-client build/peers/jpeg-decode \
	build/peers/trickle build/peers/crowd build/peers/stream build/peers/stalled-lookup.so build/peers/system-store.so
CFLAGS_PEERS := -std=c11 -O2 -Wall -Wextra -Werror

.PHONY: help setup setup-build setup-test setup-bench run test test-fast test-threads test-curl test-adopt adopt fuzz bench lint \
	docs conformance differential soak clean
# Steps follow each other: two Swift builds at once only fight over the processors.
.NOTPARALLEL:

help: ## list what there is to make
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

setup: ## install whatever is missing to build, test and measure (other targets do it by themselves)
	@scripts/setup build test bench

setup-build:
	@scripts/setup build

setup-test:
	@scripts/setup build test

setup-bench:
	@scripts/setup build bench

run: setup-build ## run Kennel with a litter of drawn dogs; DEMO=retriever-demo for a tour of Retriever
	swift run $(DEMO) $(ARGS)

test: setup-test ## all tests, again under ThreadSanitizer, and the checks on what was built
	@rm -f build/unsteady
	swift build --build-tests
	scripts/test-swift 900 $(TEST_FLAGS) --skip '$(BUSY_TESTS)'
	scripts/test-swift 900 $(TEST_FLAGS) --filter '$(BUSY_TESTS)'
	scripts/test-threads '$(TSAN_FILTER)' $(TSAN_FLAGS)
	scripts/test-threads '$(TSAN_LOAD)' --no-parallel
	scripts/soak thread $(SOAK_MINUTES)
	scripts/soak address $(SOAK_MINUTES)
	scripts/check-links
	scripts/check-outside
	scripts/test-page
	scripts/test-adopt
	scripts/fuzz 5
	@if [ -s build/unsteady ]; then echo "test: these failed beside others and passed by themselves:"; cat build/unsteady; fi
	@echo "test: all passed"

adopt: setup-build ## build adopt, the tool for completion handlers, into build/adopt
	swift build --package-path Adopt --scratch-path .build/adopt -c release --product adopt
	@mkdir -p build
	ln -sfn "$$(swift build --package-path Adopt --scratch-path .build/adopt -c release --show-bin-path)/adopt" build/adopt
	@echo "adopt: build/adopt --help shows what it does"

test-adopt: setup-test ## the tests of adopt
	scripts/test-adopt

test-threads: setup-test ## all that shares state between threads, under ThreadSanitizer
	scripts/test-threads '$(TSAN_FILTER)' $(TSAN_FLAGS)
	scripts/test-threads '$(TSAN_LOAD)' --no-parallel

test-fast: setup-test ## the tests alone, once
	swift build --build-tests
	scripts/test-swift 900 $(TEST_FLAGS)

soak: setup-test ## random loads against servers that misbehave; MINUTES=5, SEED=n repeats a run
	scripts/soak plain $(or $(MINUTES),1)

test-curl: setup-test ## engine, session and conformance tests with the newest libcurl of Debian's backports
	swift build --build-tests
	scripts/test-newest-curl 900 $(TEST_FLAGS) --filter '$(CURL_FILTER)'

bench: setup-bench $(PEERS) ## measure beside the peers; ONLY=name for some rows
	swift build $(BENCHMARKS) --product bench
	swift build $(BENCHMARKS) --product bench-retriever
	swift build $(BENCHMARKS) --product bench-foundation
	swift build $(BENCHMARKS) --product bench-pictures
	swift build $(BENCHMARKS) --product bench-images
	swift build $(BENCHMARKS) --product bench-thumbnails
	swift build $(BENCHMARKS) --product kennel
	swift build --package-path Adopt --scratch-path .build/adopt -c release --product bench-adopt
	scripts/within 2400 "$$(swift build $(BENCHMARKS) --show-bin-path)/bench" .

build/peers/curl-client: Benchmarks/peers/curl_client.c
	@mkdir -p $(@D)
	gcc $(CFLAGS_PEERS) -o $@ $< -lcurl

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

build/peers/stream: Benchmarks/peers/stream.c
	@mkdir -p $(@D)
	gcc $(CFLAGS_PEERS) -o $@ $< -lmicrohttpd

build/peers/go-client: Benchmarks/peers/go/main.go Benchmarks/peers/go/go.mod
	@mkdir -p $(@D)
	cd $(<D) && CGO_ENABLED=0 GOFLAGS=-trimpath GOCACHE=$(CURDIR)/build/go-cache go build -o $(CURDIR)/$@ .

fuzz: setup-build ## damaged images under libFuzzer and AddressSanitizer; FUZZ_SECONDS=600 for each codec
	scripts/fuzz $(or $(FUZZ_SECONDS),60)

lint: setup-build ## formatting and the project's own rules
	@scripts/lint

docs: setup-build ## the documentation as a web site in build/docs
	@scripts/docs

conformance: setup-test ## the same checks against Retriever, FoundationNetworking and curl
	scripts/conformance

differential: setup-test ## the same raw replies to curl and to Retriever; writes docs/differences-from-curl.md
	swift build $(DIFFERENTIAL) --product differential
	scripts/within 300 "$$(swift build $(DIFFERENTIAL) --show-bin-path)/differential" docs/differences-from-curl.md

clean: ## remove everything that was built or generated here
	rm -rf .build build Benchmarks/.build Tests/Outside/.build Adopt/.build
