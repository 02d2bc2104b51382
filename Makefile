# Needs a Python 3.12 or newer and nothing else; everything is installed into .venv.
# `make demo` audits a real search, `make test` installs and checks everything.

SHELL := /bin/sh
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
CONSTRAINTS := requirements/constraints.txt
# Never more test processes than cores that this process may use.
CORES = $$($(BIN)/python -c 'import joblib; print(joblib.cpu_count())')

.NOTPARALLEL:
.PHONY: demo test check nightly lint types layers unit scenarios clean

demo: $(STAMP)
	@$(BIN)/repro check matmul-chain --orders 8; code=$$?; \
	if [ $$code -eq 1 ]; then \
	  echo; echo "The search is not reproducible as shipped (exit code 1): that is the finding this demo shows."; \
	elif [ $$code -eq 0 ]; then \
	  echo; echo "error: the demo expects nondeterminism and found none (exit code 0)" >&2; exit 1; \
	else exit $$code; fi

test: $(STAMP)
	@$(MAKE) --no-print-directory check

check: lint types layers unit scenarios

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

layers: $(STAMP)
	$(BIN)/lint-imports

unit: $(STAMP)
	$(BIN)/pytest -m "not search and not nightly" -n $(CORES)

# A search uses all cores itself, so these run one after another.
scenarios: $(STAMP)
	$(BIN)/pytest -m "search and not nightly"

nightly: $(STAMP)
	$(BIN)/pytest -m nightly

$(STAMP): pyproject.toml $(CONSTRAINTS) scripts/find-python
	@python=$$(PYTHON="$(PYTHON)" scripts/find-python) && \
	rm -rf $(VENV) && echo "installing into $(VENV) with $$python" && "$$python" -m venv $(VENV)
	@$(PIP) install -c $(CONSTRAINTS) hatchling editables
	@$(PIP) install -c $(CONSTRAINTS) --no-build-isolation -e ".[test]"
	@touch $@

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find repro tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
