#!/bin/sh
# Runs the programs of this bundle (test/gpu/bundle made it) and compares what they do with what is expected of them.
#
#   ./run             all programs, on the GPU
#   ./run atomics     those whose names hold "atomics"
#   ./run -j 6        six at a time, those that fail beside others once more alone
#   CUFORT_DEVICE=emulated ./run
#
# Prints one line per program and the totals; the exit status is 0 if none failed. Programs for unified memory are skipped
# where the GPU cannot reach all memory of the host. Output is kept in the folder logs.
cd "$(dirname "$0")" || exit 1
device=${CUFORT_DEVICE:-gpu}

# Unpacks the programs where they came as an archive.
unpack() {
  [ -d programs ] && return
  xz -dc programs.tar.xz 2>/dev/null | tar -x -f - 2>/dev/null || tar -xJf programs.tar.xz 2>/dev/null ||
    python3 -c 'import tarfile; tarfile.open("programs.tar.xz").extractall()' ||
    { echo "cannot unpack programs.tar.xz: xz, a tar with xz, or python3 is needed"; exit 1; }
}

# Sets `problem` to what is wrong with the finished program $1, which ended with status $2; empty if nothing is.
judge() {
  problem=
  { read -r ending letters _; } <"expected/$1"
  grep="grep -Eq"
  if [ "$letters" = any-case ]; then grep="grep -Eiq"; fi
  if [ "$ending" = succeeds ] && [ "$2" -ne 0 ]; then problem="exit status $2"; fi
  if [ "$ending" = fails ] && [ "$2" -eq 0 ]; then problem="it should fail and did not"; fi
  if [ "$2" -eq 124 ]; then problem="no end after 120 seconds"; fi
  while read -r pattern; do
    regex=${pattern#?}
    case $pattern in
    +*) $grep -e "$regex" "logs/$1" || problem="${problem:-output lacks: $regex}" ;;
    -*) $grep -e "$regex" "logs/$1" && problem="${problem:-output holds: $regex}" ;;
    esac
  done <"expected/$1"
  # With -gpu=mem:unified a program says what it needs of the machine, and ends.
  if [ -n "$problem" ] && grep -q "cannot reach all memory of the host on this machine" "logs/$1"; then
    problem=
    : >"skipped/$1"
  fi
}

# Runs program $1 and says in results/$1 what is wrong with it: an empty file if nothing is.
run_program() {
  { read -r _ _ words; } <"expected/$1"
  variables=${words%%--*}
  arguments=${words#*--}
  limit=
  command -v timeout >/dev/null && limit="timeout 120"
  # shellcheck disable=SC2086 # variables, limit and arguments are lists of words
  env $variables CUFORT_DEVICE="$device" $limit "./programs/$1" $arguments >"logs/$1" 2>&1
  judge "$1" $?
  if [ -z "$problem" ]; then : >"results/$1"; else echo "$problem" >"results/$1"; fi
}

# Prints how the program $1, which was run, did.
report() {
  if [ -e "skipped/$1" ]; then
    printf 'skip  %-48s %s\n' "$1" "the GPU cannot reach all memory of the host here"
  elif [ ! -s "results/$1" ]; then
    printf 'ok    %s\n' "$1"
  else
    printf 'FAIL  %-48s %s\n' "$1" "$(cat "results/$1")"
    tail -n 3 "logs/$1" | sed 's/^/      | /'
  fi
}

if [ "$1" = --program ]; then
  run_program "$2"
  exit
fi
jobs=1
if [ "$1" = -j ]; then
  jobs=$2
  shift 2
fi
unpack
rm -rf results skipped
mkdir -p logs results skipped
echo "device: $device"
begin=$(date +%s)
if [ "$jobs" -gt 1 ]; then
  for expected in expected/*"${1:-}"*; do
    [ ! -e "$expected" ] || echo "${expected#expected/}"
  done | xargs -n 1 -P "$jobs" ./run --program
fi
passed=0
skipped=0
failures=
for expected in expected/*"${1:-}"*; do
  name=${expected#expected/}
  [ -e "$expected" ] || continue
  if [ ! -e "results/$name" ] || [ -s "results/$name" ]; then run_program "$name"; fi
  report "$name"
  if [ -e "skipped/$name" ]; then
    skipped=$((skipped + 1))
  elif [ -s "results/$name" ]; then
    failures="$failures $name"
  else
    passed=$((passed + 1))
  fi
done
for name in $failures; do echo "failed: $name"; done
echo "$(($(date +%s) - begin)) seconds"
# shellcheck disable=SC2086 # failures is a list of words
set -- $failures
echo "$passed passed, $skipped skipped, $# failed"
[ $# -eq 0 ]
