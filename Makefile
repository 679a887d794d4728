# The commands of this project; CONTRIBUTING.md says when to use which.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := build

# How long `make fuzz` spends on each target.
SECONDS ?= 60
# Everything that is formatted. Generated files opt out in their first line.
SWIFT_CODE := Package.swift $(wildcard Sources Server Client Tests Benchmarks)
# The modules whose interface is documented for other programmers.
DOCUMENTED := KeychainSync KeyValueStore Security Simulation UbiquitousKeyValueStore

# How everything is built that users run and tests drive: one build for both.
RELEASE := -c release
# SwiftPM passes a package's traits in the order of their hashes. With new hashes in each run it
# would often compile SwiftProtobuf again, and with it all that depends on it.
BUILD := SWIFT_DETERMINISTIC_HASHING=1 swift build

# Left to itself, `swift test` compiles every module with -enable-testing, a build of its own.
SAME_BUILD := --disable-xctest --disable-testable-imports
# Some tests wait more than they compute. All started at once they would wait for each other.
TESTS := $(SAME_BUILD) --experimental-maximum-parallelization-width 4
TIMES := .build/test-events.json
# The suites that run more when they are asked to be thorough.
MORE := SimulationTests|KeyValuesTests|RenameChainTests|ReconcileWorldTests|RemovalTests

# All tests but those of the form of the source; those of many worlds, which run in one
# thread and would take most of an hour; and one that links a program as users do. One after the
# other: side by side they run into their time limits.
SANITIZED := swift test --disable-xctest --no-parallel --skip TidyTests --skip TryPackagesTests \
    --skip 'many worlds' --skip 'is lost or comes back'

# Where `make install` puts programs, manual pages and completions. For a package, set DESTDIR too.
PREFIX ?= /usr/local
PROGRAMS := keychain keychain-test-bench sync-client sync-server sync-simulate
# What is installed needs no Swift library beside it. This build is one of its own.
STATIC := -c release --static-swift-stdlib --scratch-path .build-static

.PHONY: build test times lint format check imports thorough debug-demo demo check-versions \
    known-versions try-packages check-proxies check-formats check-nodes up down install bench \
    bench-server docs sanitize fuzz packages

build: packages
	$(BUILD) $(RELEASE)

test: packages
	$(BUILD) --build-tests $(RELEASE)
	scripts/run-tests $(RELEASE)

# All tests one after the other, then the slowest twenty.
times: packages
	rm -f $(TIMES)
	$(BUILD) --build-tests $(RELEASE)
	swift test $(RELEASE) --skip-build $(SAME_BUILD) --no-parallel \
	    --event-stream-version 0 --event-stream-output-path $(TIMES)
	scripts/slowest-tests $(TIMES)

# One folder after the other: swift format keeps every file open that it reads.
lint:
	for part in $(SWIFT_CODE); do swift format lint --strict --parallel --recursive $$part; done
	Examples/generate-chrome-passwords | cmp - Examples/chrome-passwords.csv
	scripts/scale | cmp - docs/Scale.md

format:
	for part in $(SWIFT_CODE); do swift format --in-place --parallel --recursive $$part; done

# All that a change has to pass: what a new user runs, then what is beyond it.
check: lint demo test imports thorough debug-demo known-versions

# Which module may import which: the build says it, not a test.
imports: packages
	scripts/build-checked

# What `make test` leaves out because it takes half an hour: five to twenty times as many simulated
# worlds and histories of each merge type.
thorough: packages
	$(BUILD) --build-tests $(RELEASE)
	KEYCHAIN_SYNC_THOROUGH=1 swift test $(RELEASE) --skip-build $(TESTS) --filter '$(MORE)'

# The demo with a debug build: only there do the assertions of libraries hold. CI leaves it out: it
# compiles everything once more, in ten minutes.
debug-demo: packages
	$(BUILD)
	scripts/demo --debug

demo: packages
	$(BUILD) $(RELEASE)
	scripts/demo

# A day with the programs of an earlier version beside those of this one. They are built once, in
# ten minutes; `check` leaves it out where that was not done.
check-versions: packages
	$(BUILD) --build-tests $(RELEASE)
	scripts/check-versions

known-versions: packages
	scripts/check-versions --if-built

# Packages of others with our key-value store. It needs the network, so it is no part of `check`.
try-packages: packages
	$(BUILD) $(RELEASE)
	scripts/try-packages

# The server behind nginx, HAProxy and Caddy. It installs them, so it is no part of `check`.
check-proxies: packages
	$(BUILD) $(RELEASE)
	scripts/check-proxies

# What we write with the programs it is for, and what they write with ours. It installs them.
check-formats: packages
	$(BUILD) $(RELEASE)
	scripts/check-formats
	scripts/check-sources
	scripts/check-browsers

# Four nodes on PostgreSQL under Patroni, and what is killed. It installs all that, too.
check-nodes: packages
	$(BUILD) $(RELEASE)
	scripts/check-nodes

# A server and a daemon to try things with by hand; `make down` stops them.
up: packages
	$(BUILD) $(RELEASE)
	scripts/up

down:
	scripts/up --stop

docs: packages
	for module in $(DOCUMENTED); do \
	    swift package generate-documentation --target $$module --warnings-as-errors; \
	done

install: packages
	$(BUILD) $(STATIC)
	for program in $(PROGRAMS); do \
	    install -D -s -m 755 .build-static/release/$$program \
	        "$(DESTDIR)$(PREFIX)/bin/$$program"; \
	done
	scripts/install-manuals .build-static/release "$(DESTDIR)$(PREFIX)"

bench: packages
	$(BUILD) $(STATIC)
	swift run -c release --package-path Benchmarks benchmarks \
	    "$$(realpath .build-static/release)"

# The server beside bare SQLite, pgbench and Kinto. It installs those, and takes half an hour.
bench-server: packages
	$(BUILD) $(RELEASE)
	scripts/bench-server

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
