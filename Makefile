# What people and CI run. `make` alone lists the targets.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# The first Python that is new enough; `make PYTHON=/path/to/python` chooses another.
PYTHON ?= $(shell for python in python3.11 python3.12 python3.13 python3.14 python3; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
UV ?= uv
PYTEST_ARGS ?=
N ?= 10000
SEED ?= 1
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
PIP := $(BIN)/python -m pip install --disable-pip-version-check --quiet
COMPILE := pip compile --quiet --generate-hashes --no-header --no-emit-index-url --universal --python-version 3.11

.PHONY: help
help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

.PHONY: venv
venv: $(INSTALLED) ## Make .venv from the locked, hash-checked requirements

$(INSTALLED): requirements-dev.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: install it, or name it with make PYTHON=..." >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --require-hashes --requirement requirements-dev.lock
	$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

# The demo takes whatever .venv there is. Without one it makes its own, with no more than the program needs.
.PHONY: demo
demo: $(BIN)/pointsman ## Show all of it at work on this machine, for a minute (ARGS="--keep"; ARGS="--help" tells more)
	@$(BIN)/pointsman demo $(ARGS)

$(BIN)/pointsman:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: install it, or name it with make PYTHON=..." >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --require-hashes --requirement requirements.lock --requirement requirements-build.lock
	$(PIP) --no-deps --no-build-isolation --editable .

.PHONY: check
check: $(INSTALLED) ## Lint, formatting, types and import contracts
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

.PHONY: test
test: check ## Everything: check, then all tests (PYTEST_ARGS="-k name" to choose)
	$(BIN)/python -m pytest $(PYTEST_ARGS)

.PHONY: test-fast
test-fast: $(INSTALLED) ## Only the tests that need no control plane and no Helm
	$(BIN)/python -m pytest -m "not controlplane and not helm" $(PYTEST_ARGS)

.PHONY: oracle
oracle: $(INSTALLED) ## Compare N decisions (10000) with the real kube-scheduler's, on random clusters (SEED=1)
	$(BIN)/python -m tests.oracle --n $(N) --seed $(SEED) $(ARGS)

.PHONY: controlplane
controlplane: $(INSTALLED) ## Build the tests' real control plane and Helm, once, into ~/.cache/pointsman (needs Go 1.26)
	$(BIN)/python -m tests.controlplane.build
	$(BIN)/python -m tests.helm.build

.PHONY: bench
bench: $(INSTALLED) ## Compare with kube-scheduler on this machine (ARGS="--help"; BENCH_QUICK=1: five minutes)
	$(BIN)/python -m tests.bench.side_by_side $(ARGS)

.PHONY: bench-core
bench-core: $(INSTALLED) ## Measure decisions alone, in process, rule by rule (ARGS="--help")
	$(BIN)/python -m tests.bench.core $(ARGS)

.PHONY: rendered
rendered: $(INSTALLED) ## Write anew what is made from the chart and the CustomResourceDefinition
	$(BIN)/python -m tests.helm.chart
	$(BIN)/python -m tests.docs.reference

.PHONY: format
format: $(INSTALLED) ## Format the code and apply the safe fixes of the linter
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

.PHONY: lock
lock: ## Pin the requirements anew after a change in pyproject.toml (needs uv; UV="uv" names it)
	$(UV) $(COMPILE) pyproject.toml --output-file requirements.lock
	$(UV) $(COMPILE) pyproject.toml --group dev --output-file requirements-dev.lock
	$(UV) $(COMPILE) --group build --output-file requirements-build.lock
