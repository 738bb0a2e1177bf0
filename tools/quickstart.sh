#!/usr/bin/env bash
# From a fresh Debian or Ubuntu machine to a compiled and running CUDA Fortran program. Safe to run twice.
#
#   tools/quickstart.sh          install what is missing, build, compile and run examples/saxpy.cuf
#   tools/quickstart.sh --deps   only install what is missing
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(llvm-22-dev libmlir-22-dev mlir-22-tools libflang-22-dev flang-22 clang-22 lld-22 llvm-22-tools
          libomp-22-dev libzstd-dev libjemalloc-dev libgtest-dev cmake ninja-build ccache g++ git python3)

step() { printf '\n== %s\n' "$*"; }
die() { printf '\nquickstart: %s\n' "$*" >&2; exit 1; }

# Prints those of the packages that are not installed.
missing_packages() {
  for package in "${packages[@]}"; do
    [ "$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null)" = 'install ok installed' ] || printf '%s ' "$package"
  done
}

# Prints those of the arguments that apt cannot install from its present sources.
unavailable_packages() {
  for package in "$@"; do
    # No pipe into grep -q: it would end apt-cache early, which pipefail takes for a failure.
    [[ $(LC_ALL=C apt-cache policy "$package" 2>/dev/null) =~ Candidate:\ [0-9] ]] || printf '%s ' "$package"
  done
}

explain_sources() {
  cat >&2 <<TEXT

apt does not know: $*

The packages whose names end in -22 or contain -22- are LLVM 22. They come
  - on Debian 12 from the sections bookworm-updates and bookworm-security. /etc/apt/sources.list needs the lines
        deb http://deb.debian.org/debian bookworm-updates main
        deb http://deb.debian.org/debian-security bookworm-security main
  - on other releases of Debian and Ubuntu from https://apt.llvm.org, which describes how to add it.
All others are in the main section of Debian and Ubuntu. Add the source, then run this script again.
TEXT
  exit 1
}

install_packages() {
  local missing absent as_root=()
  read -ra missing <<<"$(missing_packages)"
  if [ ${#missing[@]} -eq 0 ]; then
    echo "all ${#packages[@]} packages are installed"
    return
  fi
  echo "missing: ${missing[*]}"
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "installing packages needs root. As root: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  "${as_root[@]}" apt-get update || echo "apt-get update reported problems; going on with the lists that are there"
  read -ra absent <<<"$(unavailable_packages "${missing[@]}")"
  [ ${#absent[@]} -eq 0 ] || explain_sources "${absent[*]}"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"
}

step "[1/4] packages"
command -v apt-get >/dev/null && command -v dpkg-query >/dev/null ||
  die "this script knows apt only. Install the equivalents of: ${packages[*]}"
install_packages
[ "${1:-}" != --deps ] || exit 0

step "[2/4] configure"
cmake --preset dev

step "[3/4] build (a few sources take a minute or two each and up to 5 GB of memory)"
cmake --build --preset dev

step "[4/4] compile and run examples/saxpy.cuf"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cufort=$(pwd)/build/bin/cufort
(cd "$work" && "$cufort" -O3 "$OLDPWD/examples/saxpy.cuf" -o saxpy && ./saxpy)

printf '\nThe compiler is %s\nNext: README.md, and make -C examples FC=%s run\n' "$cufort" "$cufort"
