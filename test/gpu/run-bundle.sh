#!/bin/sh
# Runs the programs of this bundle (test/gpu/bundle made it) and compares what they do with what is expected of them.
#
#   ./run             all programs, on the GPU
#   ./run atomics     those whose names hold "atomics"
#   CUFORT_DEVICE=emulated ./run
#
# Prints one line per program and the totals; the exit status is 0 if all passed. Output is kept in the folder logs.
cd "$(dirname "$0")" || exit 1
device=${CUFORT_DEVICE:-gpu}
if [ ! -d programs ]; then
  xz -dc programs.tar.xz 2>/dev/null | tar -x -f - 2>/dev/null || tar -xJf programs.tar.xz 2>/dev/null ||
    python3 -c 'import tarfile; tarfile.open("programs.tar.xz").extractall()' ||
    { echo "cannot unpack programs.tar.xz: xz, a tar with xz, or python3 is needed"; exit 1; }
fi
limit=
command -v timeout >/dev/null && limit="timeout 120"
mkdir -p logs
passed=0
failed=0
failures=

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
}

echo "device: $device"
begin=$(date +%s)
for expected in expected/*; do
  name=${expected#expected/}
  case $name in *"${1:-}"*) ;; *) continue ;; esac
  { read -r _ _ words; } <"$expected"
  variables=${words%%--*}
  arguments=${words#*--}
  # shellcheck disable=SC2086 # variables, limit and arguments are lists of words
  env $variables CUFORT_DEVICE="$device" $limit "./programs/$name" $arguments >"logs/$name" 2>&1
  judge "$name" $?
  if [ -z "$problem" ]; then
    passed=$((passed + 1))
    printf 'ok    %s\n' "$name"
  else
    failed=$((failed + 1))
    failures="$failures $name"
    printf 'FAIL  %-48s %s\n' "$name" "$problem"
    tail -n 3 "logs/$name" | sed 's/^/      | /'
  fi
done
for name in $failures; do echo "failed: $name"; done
echo "$(($(date +%s) - begin)) seconds"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
