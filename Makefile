# The two main commands are `make reproduce` and `make test`. Both need rustup (or the pinned toolchain), a C compiler
# and access to the crate registry; this file sets up everything else.

PROFILE ?= paper
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
CARGO ?= cargo
TARGET_DIR := $(or $(CARGO_TARGET_DIR),target)
# Keys of results contain the packages of these targets, on every system.
TARGETS := x86_64-unknown-linux-gnu aarch64-unknown-linux-gnu
LOCKED := crates/study/packages.lock
NOREGRET := $(TARGET_DIR)/release/noregret

# A seed of the user's own; without one, `make mutants` takes 1 and `make soak` draws one.
SEED ?=
N ?= 60
# Why a number of the ledger is worse or new, if it is.
REASON ?=
FUZZ ?= 1m
SOAK ?= 10m

.PHONY: reproduce peers streams test build check fmt bench ledger packages licences mutants soak fuzz deny sbom release crates docs book python clean help toolchain

help:                ## show this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1	\2/p' $(MAKEFILE_LIST) | expand -t 20

# `cargo fmt` does not find modules that a macro declares, as the lists of members do.
SOURCES = $$(find build.rs src crates benches tests xtask python/src python/examples -name '*.rs' -not -path '*/target/*')

toolchain:
	@command -v $(CARGO) >/dev/null 2>&1 || { echo "cargo is not on the PATH: install rustup from https://rustup.rs, then open a new shell" >&2; exit 1; }
	@command -v cc >/dev/null 2>&1 || { echo "no C compiler (cc) on the PATH: on Debian, apt-get install gcc libc6-dev" >&2; exit 1; }

build: toolchain     ## build the release binary
	$(CARGO) build --workspace --release --locked

reproduce: build     ## make everything: data, runs, figures, tables, report (PROFILE=quick|paper|full)
	$(NOREGRET) run --profile $(PROFILE) -j $(JOBS)
	@echo "report: reports/index.html and reports/report.md"

# The table of README.md, and the processor that it was measured on.
README_SPEED = awk -F'|' '/^\| (Dataset|:---|casp) / { print "|" $$3 "|" $$5 "|" $$10 "|" }' reports/timings/peers.md; \
	sed -n 's/^model name[^:]*: /Processor: /p' /proc/cpuinfo | sort -u

peers: build         ## compare with River, scikit-learn and Vowpal Wabbit, set up in target/peers
	$(MAKE) -f peers/Makefile
	$(NOREGRET) run --profile $(PROFILE) -j $(JOBS) 'figure/peers-*' 'table/peers*'
	@$(README_SPEED)

streams: build       ## the bench of streams, in target/streams: every library on public streams
	[ -d target/streams/pipeline ] || $(NOREGRET) init target/streams --from streams
	$(MAKE) -C target/streams NOREGRET=$(abspath $(NOREGRET))

test: check          ## check formatting, lints and documentation, then run all tests
	$(CARGO) test --workspace --release --locked

check: toolchain     ## check formatting, lints (warnings are errors) and documentation
	rustfmt --edition 2024 --check $(SOURCES)
	$(CARGO) clippy --workspace --release --locked --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings -A rustdoc::private_intra_doc_links" $(CARGO) doc --workspace --release --locked --no-deps --document-private-items --quiet

bench: build         ## run the benchmarks, which compare with the machine's own rates
	$(CARGO) bench --locked

ledger: build        ## hold memory, allocations, lines and sizes against tests/ledger/numbers.toml (REASON="why" writes it)
	$(CARGO) test --quiet --workspace --release --locked --test ledger -- reason='$(REASON)'

packages: toolchain  ## write crates/study/packages.lock: the packages that keys depend on, for the supported targets
	$(CARGO) run --quiet --release -p noregret-xtask --example packages -- $(TARGETS) > $(LOCKED).new
	mv $(LOCKED).new $(LOCKED)

licences: toolchain  ## write target/licences.txt: the licences of all packages in the program and in the Python package
	@mkdir -p $(TARGET_DIR)
	$(CARGO) run --quiet --release --locked -p noregret-xtask --example linked -- licences Cargo.toml python/Cargo.toml > $(TARGET_DIR)/licences.txt.new
	mv $(TARGET_DIR)/licences.txt.new $(TARGET_DIR)/licences.txt

sbom: toolchain      ## write target/noregret.cdx.json, a bill of materials in CycloneDX: every package in the program
	@mkdir -p $(TARGET_DIR)
	$(CARGO) run --quiet --release --locked -p noregret-xtask --example linked -- bill Cargo.toml > $(TARGET_DIR)/noregret.cdx.json.new
	mv $(TARGET_DIR)/noregret.cdx.json.new $(TARGET_DIR)/noregret.cdx.json

release: toolchain   ## rehearse the release of VERSION in target/releases: archive, wheel, crates, sums; install and try them
	BUILD=$(if $(findstring command,$(origin BUILD)),$(BUILD)) xtask/release/run.sh $(if $(findstring command,$(origin VERSION)),$(VERSION))

mutants: build       ## change one token at a time; every result that changes must get a new key (SEED=1 N=60; hours)
	$(CARGO) build --quiet --release --locked -p noregret-xtask --example mutants
	$(TARGET_DIR)/release/examples/mutants $(or $(SEED),1) $(N) $(if $(AT),'$(AT)')

soak: toolchain      ## kill, damage and disturb the program at random (SOAK=10m SEED= TRY=KIND:SEED)
	$(CARGO) test --quiet --workspace --release --locked --test soak -- time=$(SOAK) seed=$(SEED) try=$(TRY)

# How rustc counts the branches that an input takes.
COVERAGE := -Cpasses=sancov-module $(foreach option,level=4 inline-8bit-counters pc-table trace-compares,\
	-Cllvm-args=-sanitizer-coverage-$(option)) -Ccodegen-units=1
HOST := $(shell rustc -vV 2>/dev/null | sed -n 's/^host: //p')

fuzz: toolchain      ## look for bytes that make a reader panic; needs a C++ compiler (FUZZ=1m for each reader, READER=csv)
	cp Cargo.lock xtask/fuzz/Cargo.lock
	cd xtask/fuzz && RUSTFLAGS="$(COVERAGE)" $(CARGO) build --quiet --release --target $(HOST)
	xtask/fuzz/run.sh xtask/fuzz/target/$(HOST)/release/readers $(FUZZ) $(READER)

deny: toolchain      ## check licences, sources and known weaknesses of all packages, those of the Python package too
	@command -v cargo-deny >/dev/null 2>&1 || { echo "cargo-deny is not installed: packages are not checked" >&2; exit 0; }; \
	for manifest in Cargo.toml python/Cargo.toml; do \
		$(CARGO) deny --manifest-path $$manifest check licenses bans sources || exit 1; \
	done; \
	if $(CARGO) deny fetch db >/dev/null 2>&1; then \
		for manifest in Cargo.toml python/Cargo.toml; do \
			$(CARGO) deny --manifest-path $$manifest check --disable-fetch advisories || exit 1; \
		done; \
	else echo "the database of advisories cannot be reached: not checked" >&2; fi

crates: toolchain    ## package every crate, and check each from its package alone, away from this repository
	crates/check.sh

python: toolchain    ## build the Python package, install its wheel in a fresh environment and test it there
	python/check.sh

docs: build          ## write the pages of docs/ to target/docs, with what the program says of itself in them
	rm -rf $(TARGET_DIR)/docs
	$(NOREGRET) book docs $(TARGET_DIR)/docs

book: docs           ## make the book of them in target/book, where mdbook is installed
	@command -v mdbook >/dev/null 2>&1 || { echo "mdbook is not installed: cargo install --locked mdbook" >&2; exit 1; }
	mdbook build $(TARGET_DIR)/docs

fmt:                 ## format the source
	rustfmt --edition 2024 $(SOURCES)

clean:               ## remove results and reports, but keep downloaded data
	rm -rf results/store results/log results/runs results/traces results/*.parquet reports/figures reports/tables reports/timings reports/index.html reports/report.md
