# The two commands of the README: `make` and `make test`. Each does its own
# set-up in .deps/, which git ignores; a second run downloads nothing.
GO     ?= go
PYTHON ?= python3
PIP    := $(PYTHON) -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes
HIGHS  := .deps/highs/.stamp
BUILT  := -ldflags "-X memplan/results.revision=$(shell git describe --always --dirty=+ --abbrev=40 --exclude='*' 2>/dev/null)"
export GOFLAGS := -buildvcs=false $(GOFLAGS)

.PHONY: all table build test check clean
all: table

# The built-in corpus, by every heuristic and the exact planner.
table: build
	bin/memplan bench --time-limit 2s

# HiGHS, pinned by hash; ilp/highs finds it here by a path relative to its sources.
$(HIGHS): ilp/highs/requirements.txt
	rm -rf .deps/highs
	$(PIP) --target .deps/highs -r $<
	touch $@

build: $(HIGHS)
	$(GO) build $(BUILT) -o bin/memplan ./cmd/memplan

# What needs no run: format, vet, staticcheck.
check: $(HIGHS)
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$unformatted" || { echo "not formatted: $$unformatted"; exit 1; }
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

test: check
	$(GO) test ./...

clean:
	rm -rf bin out
