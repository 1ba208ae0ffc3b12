# Everything runs in .venv, which make builds from pyproject.toml and constraints.txt.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
SITE := docs/_build/html
JOBS ?= 2
EXTRAS := dev,docs,plot,render,video,web
STACKS := cleanrl,minari,optuna,tianshou,torchrl

# The lowest versions that pyproject.toml allows, and an interpreter for the newest, which Python 3.11
# holds back. Other libraries' stacks are left out there on purpose, and from the newest torch too.
LOWEST := numpy==1.26.0 numba==0.61.0 gymnasium==1.2.0 scipy==1.15.0
NEWEST ?= python3.13
NO_STACKS := tyro minari h5py optuna tianshou torchrl
NO_TORCH := torch stable_baselines3 sb3_contrib tensorboard tqdm safetensors

# What bench-compare compares: two commits, tags or branches.
BASE ?= main
HEAD ?= HEAD

# Two BLAS threads beside a busy neighbour are many times slower than one.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export MKL_NUM_THREADS := 1

.DEFAULT_GOAL := help
.PHONY: help demo test test-long chromium test-web test-ray test-lowest test-newest .test-newest check coverage docs bench bench-peers bench-plots bench-compare clean

help: ## list what make can do
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 15

$(VENV)/.stamp: pyproject.toml constraints.txt
	@command -v $(PYTHON) >/dev/null || { echo "make: $(PYTHON) not found; set PYTHON to a Python 3.11 or newer" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "make: $$($(PYTHON) --version) is too old; set PYTHON to a Python 3.11 or newer" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' || { echo "make: $(PYTHON) has no venv; install it (Debian: python3-venv)" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --quiet --constraint constraints.txt --editable '.[agents,$(STACKS),$(EXTRAS)]'
	@touch $@

demo: $(VENV)/.stamp ## train a short San Juan Hill agent, then print it beside random play
	$(PY) -m agents.demo

test: $(VENV)/.stamp ## run the tests, JOBS files at a time
	$(PY) -m pytest -n $(JOBS) --dist loadfile

test-long: $(VENV)/.stamp ## run the tests that take minutes, too
	$(PY) -m pytest -m 'long or not long'

chromium: ## install the browser that test-web needs, on Debian as root, unless there is one
	@test -n "$$CHROMIUM" || command -v chromium >/dev/null || command -v google-chrome >/dev/null || { apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium >/dev/null; }

test-web: $(VENV)/.stamp ## run the tests of the table in a browser; needs Chromium
	$(PY) -m pytest tests/test_web.py tests/test_web_game.py tests/test_web_browser.py tests/test_web_hands.py

# Ray pins another Gymnasium than the tested set, so it has a virtual environment of its own.
.venv-ray/.stamp: pyproject.toml constraints-ray.txt
	$(PYTHON) -m venv .venv-ray
	.venv-ray/bin/python -m pip install --quiet --constraint constraints-ray.txt --editable '.[agents,ray]' pytest
	@touch $@

test-ray: .venv-ray/.stamp ## run the tests of Ray and RLlib, on two processes of this machine
	NEEDS_RAY=1 RAY_USAGE_STATS_ENABLED=0 .venv-ray/bin/python -m pytest tests/test_sharding.py tests/test_ray.py tests/test_rllib.py

test-lowest: ## run the tests on the lowest NumPy, numba, Gymnasium and SciPy that are supported
	$(PYTHON) -m venv .venv-lowest
	grep -vE '^(numpy|numba|llvmlite|gymnasium|scipy)=' constraints.txt >.venv-lowest/constraints.txt
	.venv-lowest/bin/python -m pip install --quiet --constraint .venv-lowest/constraints.txt --editable '.[agents,$(EXTRAS)]' $(LOWEST)
	WITHOUT='$(NO_STACKS)' .venv-lowest/bin/python -m pytest -n $(JOBS) --dist loadfile

test-newest: export PYENV_VERSION ?= 3.13
test-newest: ## run the tests on the newest of everything, without torch, by the interpreter NEWEST
	@if $(NEWEST) -c '' 2>/dev/null; then $(MAKE) --no-print-directory .test-newest; \
	else echo "make: SKIPPED test-newest: no $(NEWEST) here; set NEWEST to a Python 3.12 or newer" >&2; fi

.test-newest:
	$(NEWEST) -m venv .venv-newest
	.venv-newest/bin/python -m pip install --quiet --upgrade --upgrade-strategy eager --editable '.[$(EXTRAS)]'
	WITHOUT='$(NO_TORCH) $(NO_STACKS)' .venv-newest/bin/python -m pytest -n $(JOBS) --dist loadfile

check: $(VENV)/.stamp ## lint, types, layers, spelling, docs, engine coverage
	$(PY) -m ruff check
	$(PY) -m ruff format --check
	$(VENV)/bin/basedpyright
	$(VENV)/bin/lint-imports
	$(VENV)/bin/codespell
	$(PY) docs/generate.py --check
	$(MAKE) docs coverage

coverage: $(VENV)/.stamp ## measure the engine's coverage, with the compiler switched off
	NUMBA_DISABLE_JIT=1 $(PY) -m pytest -m jit_off --cov --cov-report=term tests

docs: $(VENV)/.stamp ## build the documentation
	$(PY) -m sphinx -W --keep-going -q -b html docs $(SITE)

bench: $(VENV)/.stamp ## measure speed and memory of all variants
	$(VENV)/bin/solitaire-env bench

bench-peers: $(VENV)/.stamp ## measure other libraries beside ours, and write docs/benchmarks.md
	$(PY) benchmarks/peers.py --write

bench-plots: $(VENV)/.stamp ## draw what a step costs by games and by threads
	$(PY) benchmarks/plots.py

bench-compare: benchmarks/.venvs/asv/.stamp ## compare the commits BASE and HEAD, interleaved in one run
	cd benchmarks && .venvs/asv/bin/asv machine --machine local --yes >/dev/null
	cd benchmarks && .venvs/asv/bin/asv continuous --machine local --interleave-rounds --split $(BASE) $(HEAD)

benchmarks/.venvs/asv/.stamp: Makefile
	$(PYTHON) -m venv benchmarks/.venvs/asv
	benchmarks/.venvs/asv/bin/python -m pip install --quiet asv==0.6.6 virtualenv==21.15.11
	@touch $@

clean: ## remove what make made, .venv included
	rm -rf $(VENV) .venv-lowest .venv-newest .venv-ray benchmarks/.venvs benchmarks/.asv build dist docs/_build docs/environments .pytest_cache .ruff_cache .hypothesis .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
