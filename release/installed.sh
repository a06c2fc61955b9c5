#!/usr/bin/env bash
# What is handed out, tried as it arrives: from the wheel, from the source archive, and from the
# wheelhouse without an index. Each in a fresh environment, outside the checkout, by the demo.
#
#     release/installed.sh DIST           DIST: the folder with release/ and wheelhouse/ in it
set -euo pipefail
dist=$(realpath "$1")
python=${PYTHON:-python3}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"

try() { # try NAME WORD...: install with these words, run the demo, and say how long both took
  local name=$1 before=$SECONDS installed; shift
  "$python" -m venv "$name"
  "$name/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
  "$name/bin/python" -m pip check >/dev/null
  installed=$SECONDS
  "$name/bin/python" -I -c 'import consilience, sys; assert consilience.__file__.startswith(sys.prefix)'
  "$name/bin/consilience" demo --out "$name-demo" >"$name.log" 2>&1 || { cat "$name.log"; exit 1; }
  grep -q 'together, by files' "$name.log"
  echo "$name: installed in $((installed - before)) s, demo in $((SECONDS - installed)) s"
}

try wheel "$dist"/release/*.whl
try source "$dist"/release/*.tar.gz
try wheelhouse --no-index --find-links "$dist/wheelhouse" --require-hashes \
  -r "$dist/wheelhouse/requirements.txt"
