# A thin wrapper: the work is done by the presets in CMakePresets.json and by tools/.
JOBS ?= $(shell nproc)
# One more than cores, because some tests wait for clocks and disks.
TEST_JOBS ?= $(shell expr $(JOBS) + 1)
PREFIX ?= /usr/local
# Tests that are skipped because data sets are missing add their names to this file.
export SAU_SKIPPED_TESTS ?= $(CURDIR)/build/skipped_tests.txt

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help setup build quickstart python wheel wheel-aarch64 check test bench tidy format clean install package \
        test-steps configure-release check-static test-release test-asan test-tsan check-docs

step = @printf '\n== %s\n' "$(1)"

help:  ## show this list
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | \
	  awk -F'\t' '{printf "  make %-14s %s\n", $$1, $$2}'

setup:  ## install the packages that building and testing need
	tools/setup.sh test

# A build folder that is already configured keeps its settings.
build:  ## build the libraries and the program, optimised: build/sau
	tools/setup.sh build
	@test -f build/build.ninja || cmake --preset program
	cmake --build build -j $(JOBS) --target sau_program sau_mpi

quickstart: build  ## build, run a small part of the paper, make a report: results/quickstart
	build/sau paper --only multi-armed --only linear --only wheel --trials 20 --out results/quickstart
	build/sau report results/quickstart -o results/quickstart/report.html
	@printf '\nOpen results/quickstart/report.html in a browser. What to try next:\n'
	@printf '  %s\n' \
	  'build/sau paper --only wheel                     a whole table of the paper: 50 trials, one minute' \
	  'build/sau watch results/paper                    the same page, while a run is in progress' \
	  'build/sau list                                   all problems, agents and their settings' \
	  'build/sau run --problem bernoulli --agent sau_ucb --agent "epsilon_greedy(epsilon=0.05)"' \
	  'docs/tour.md                                     from your own CSV file to a served policy' \
	  'docs/command-line.md                             one task per section'

# Debian's own Python, even if another comes first on the PATH. The environment sees its NumPy.
PYTHON ?= /usr/bin/python3
python:  ## install the Python package in a virtual environment: build/python-venv
	tools/setup.sh python
	$(PYTHON) -m venv --system-site-packages build/python-venv
	build/python-venv/bin/pip install --disable-pip-version-check --no-index --force-reinstall \
	  --no-deps ./python
	@build/python-venv/bin/python -c 'import sau; print("sau", sau.__version__, "is installed")'
	@printf 'Use it with\n  . build/python-venv/bin/activate\n'

# The build folder of the program, so that the wheel has the page of reports.
wheel: build  ## build a Python wheel that carries its libraries: build/wheel/sau-*.whl
	tools/setup.sh python
	$(PYTHON) -m pip wheel --disable-pip-version-check --no-index --no-deps --no-build-isolation \
	  --config-settings=build-dir=$(CURDIR)/build --config-settings=carry=libraries -w build/wheel ./python
	@ls -l build/wheel/*.whl

# Not part of `make test`: from an empty compiler cache it takes as long as a build. It ends with a
# comparison of the two wheels.
wheel-aarch64: wheel  ## the same for aarch64: cross-compiled, then run under QEMU
	tools/setup.sh aarch64
	JOBS=$(JOBS) PYTHON=$(PYTHON) tools/wheel_aarch64.sh

test: setup  ## every check: format, layers, all tests, sanitizers, docs
	@mkdir -p build && rm -f "$(SAU_SKIPPED_TESTS)"
	@code=0; $(MAKE) --no-print-directory test-steps || code=1; tools/skipped_tests.py || code=1; \
	if [ $$code != 0 ]; then printf '\nmake test: FAILED, see above\n'; exit 1; fi; \
	if [ -s "$(SAU_SKIPPED_TESTS)" ]; then printf '\nmake test: PASSED, except for the tests SKIPPED above\n'; \
	else printf '\nmake test: ALL PASSED\n'; fi

# Chooses tests by layer: a change in core runs every fast test, one in report only a few folders.
check: check-static  ## quick check before a commit: format, layers, fast tests of changed parts
	$(call step,fast tests of changed parts)
	@mkdir -p build && rm -f "$(SAU_SKIPPED_TESTS)"
	@tools/check_changed.py --jobs $(JOBS) && tools/skipped_tests.py && printf '\nmake check: PASSED\n'

# Tests leave processor time, because many wait; the build of the next step uses it.
test-steps: beside = tools/test_beside_build.sh $(1) $(JOBS)
test-steps: check-static test-release test-asan test-tsan check-docs

check-static:
	$(call step,format)
	tools/check_format.sh
	$(call step,layers)
	tools/check_layers.py
	$(call step,names)
	tools/check_names.py

configure-release:
	cmake --preset release

test-release: configure-release
	$(call step,release build and all tests)
	cmake --build --preset release -j $(JOBS)
	$(call beside,asan) ctest --preset release -j $(TEST_JOBS) || { tools/failed_tests.py build; exit 1; }

test-asan:
	$(call step,address and undefined-behaviour sanitizers: fast tests)
	cmake --preset asan
	cmake --build --preset asan -j $(JOBS)
	$(call beside,tsan) ctest --preset asan -j $(TEST_JOBS) || { tools/failed_tests.py build/asan; exit 1; }

test-tsan:
	$(call step,thread sanitizer: tests of run, http, store, serve and cluster)
ifneq ($(wildcard tests/run/*_test.cpp),)
	cmake --preset tsan
	cmake --build --preset tsan -j $(JOBS)
	ctest --preset tsan -j $(JOBS) || { tools/failed_tests.py build/tsan; exit 1; }
endif

check-docs:
	$(call step,docs)
ifneq ($(wildcard tools/check_docs.py),)
	python3 tools/check_docs.py build/sau
endif

bench: setup configure-release  ## build and run the benchmarks
	cmake --build --preset bench -j $(JOBS)
	@set -e; for bench in build/bench/*_bench; do echo "== $$bench"; "$$bench"; done

tidy: configure-release  ## clang-tidy over src, apps and python
	$(call step,clang-tidy)
	JOBS=$(JOBS) tools/tidy.sh

format:  ## rewrite the sources with clang-format
	tools/check_format.sh --fix

clean:  ## remove build/
	rm -rf build

package: build  ## make Debian packages of the programs: build/package/*.deb
	cpack --config build/CPackConfig.cmake -B build/package
	@ls build/package/*.deb

install: build  ## install below PREFIX (default /usr/local)
	cmake --install build --prefix $(PREFIX)
