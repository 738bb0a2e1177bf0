#!/usr/bin/env bash
# Builds what is not built yet and runs all tests: the unit tests and scripts by CTest, all others by lit.
# The last line is "N passed, N failed"; the exit status is 0 if nothing failed. Works from a fresh clone.
#
#   tools/run-tests.sh            in the folder build (preset dev)
#   JOBS=8 tools/run-tests.sh     with 8 tests at a time (default: number of processors)
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

jobs=${JOBS:-$(nproc)}
build=$(pwd)/build
results=$build/test-results
left() { local n=$((deadline - SECONDS)); echo $((n > 1 ? n : 1)); }
step() { printf '\n== %s\n' "$*"; }
finish() { printf '\n%d passed, %d failed\n' "$1" "$2"; exit $(($2 > 0)); }

step "packages"
command -v cmake >/dev/null && command -v clang-22 >/dev/null && [ -d /usr/lib/llvm-22/include/flang ] ||
  tools/quickstart.sh --deps || { echo "packages are missing"; finish 0 1; }

step "build"
if [ ! -f "$build/build.ninja" ]; then
  cmake --preset dev || { echo "configuring failed: tools/quickstart.sh --deps installs what is needed"; finish 0 1; }
fi
cmake --build --preset dev || { echo "the build failed"; finish 0 1; }
# All tests together stay below twenty minutes on two processors: what then still runs counts as failed.
deadline=$((SECONDS + 1170))
rm -rf "$results"
mkdir -p "$results/gtest"

step "unit tests and scripts (CTest)"
GTEST_OUTPUT=json:$results/gtest/ timeout -k 10 "$(left)" ctest --test-dir "$build" -j "$jobs" -E '^lit' \
  --timeout 300 --output-on-failure --output-junit "$results/ctest.xml"

step "compiler and execution tests (lit)"
lit=(python3 -m lit)
for name in lit-22 llvm-lit /usr/lib/llvm-22/bin/lit; do
  if command -v "$name" >/dev/null; then
    lit=("$name")
    break
  fi
done
timeout -k 10 "$(left)" "${lit[@]}" -sv -j "$jobs" -o "$results/lit.json" "$build/test"

step "summary"
read -r passed failed < <(python3 tools/sum-test-results.py "$results")
finish "${passed:-0}" "${failed:-1}"
