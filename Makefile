# Everything is installed into .venv in this checkout, and nothing elsewhere.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

.PHONY: demo test test-all check format docs bench-isolate bench-trace bench-why bench-explain bench-python bench-real bench-omission clean

demo: $(VENV)/ready
	@$(BIN)/python examples/demo.py

test: check
	$(BIN)/python -m pytest -n auto -m "not slow"

# The tests of `make test`, and those that are long and rarely break.
test-all: check
	$(BIN)/python -m pytest -n auto

check: $(VENV)/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Writes the tables of ARCHITECTURE.md from the docstrings of the modules.
docs: $(VENV)/ready
	$(BIN)/python -m tests.architecture_tables

# The benchmarks; ARGS holds their options, e.g. ARGS="--cases DIR --only click".
bench-isolate: $(VENV)/ready
	$(BIN)/python -m bench.isolate.run $(ARGS)

bench-trace: $(VENV)/ready
	$(BIN)/python -m bench.trace.run $(ARGS)

bench-why: $(VENV)/ready
	$(BIN)/python -m bench.why.run $(ARGS)

bench-omission: $(VENV)/ready
	$(BIN)/python -m bench.omission.run $(ARGS)

bench-explain: $(VENV)/ready
	$(BIN)/python -m bench.explain.run $(ARGS)

bench-python: $(VENV)/ready
	$(BIN)/python -m bench.python.run $(ARGS)

bench-real: $(VENV)/ready
	$(BIN)/python -m bench.real.run $(ARGS)

$(VENV)/ready: pyproject.toml
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable . --group dev
	touch $@

clean:
	rm -rf $(VENV) .bench .mypy_cache .ruff_cache .pytest_cache .hypothesis
