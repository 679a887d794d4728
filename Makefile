# The commands of this project; CONTRIBUTING.md says when to use which.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build

# How long `make fuzz` spends on each target.
SECONDS ?= 60
# Everything that is formatted. Generated files opt out in their first line.
SWIFT_CODE := Package.swift $(wildcard Sources Server Client Tests Benchmarks)
# The modules whose interface is documented for other programmers.
DOCUMENTED := KeychainSync Security KSKeychain SyncEngine Simulation

# All tests but those of the form of the source and the thousand worlds, which run in one thread and
# would take most of an hour. One after the other: side by side they run into their time limits.
SANITIZED := swift test --disable-xctest --no-parallel --skip TidyTests --skip 'a thousand worlds'

.PHONY: build test lint format check demo up down bench docs sanitize fuzz packages

build: packages
	swift build

test: packages
	swift test --disable-xctest

lint:
	swift format lint --strict --parallel --recursive $(SWIFT_CODE)
	Examples/generate-chrome-passwords | cmp - Examples/chrome-passwords.csv

format:
	swift format --in-place --parallel --recursive $(SWIFT_CODE)

# All that a change has to pass: what `make test` runs, the rules that no test can see, and the demo
# on the debug binaries.
check: lint packages
	scripts/build-checked
	swift test --skip-build --disable-xctest
	scripts/demo --debug

demo: packages
	swift build -c release --static-swift-stdlib
	scripts/demo

# A server and a daemon to try things with by hand; `make down` stops them.
up: packages
	swift build
	scripts/up

down:
	scripts/up --stop

docs: packages
	for module in $(DOCUMENTED); do \
	    swift package generate-documentation --target $$module --warnings-as-errors; \
	done

bench: packages
	swift build -c release --static-swift-stdlib
	swift run -c release --package-path Benchmarks benchmarks \
	    "$$(realpath "$$(swift build -c release --show-bin-path)")"

# Leaks are not looked for: a TLS library that refuses a certificate keeps 3 kB until the end.
sanitize: packages
	ASAN_OPTIONS=detect_leaks=0:suppressions=$(CURDIR)/Tests/AddressSanitizer.suppressions \
	    $(SANITIZED) --sanitize=address --scratch-path .build-address
	TSAN_OPTIONS=suppressions=$(CURDIR)/Tests/ThreadSanitizer.suppressions \
	    $(SANITIZED) --sanitize=thread --scratch-path .build-thread

fuzz: packages
	Tests/Fuzz/run $(SECONDS)

packages:
	@scripts/install-packages
