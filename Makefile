# The two commands of the README: `make` and `make test`. Each does its own
# set-up in .deps/, which git ignores; a second run downloads nothing.
GO     ?= go
PYTHON ?= python3
PIP    := $(PYTHON) -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes
HIGHS  := .deps/highs/.stamp
export GOFLAGS := -buildvcs=false $(GOFLAGS)

.PHONY: all test clean
all: bin/memplan

# HiGHS, pinned by hash; ilp/highs finds it here by a path relative to its sources.
$(HIGHS): ilp/highs/requirements.txt
	rm -rf .deps/highs
	$(PIP) --target .deps/highs -r $<
	touch $@

.PHONY: bin/memplan
bin/memplan: $(HIGHS)
	$(GO) build -o $@ ./cmd/memplan

test: $(HIGHS)
	$(GO) vet ./...
	$(GO) test ./...

clean:
	rm -rf bin out
