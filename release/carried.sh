#!/usr/bin/env bash
# A study by files between three places that share nothing but carried files, as root.
#
#     release/carried.sh RUNNER THING     runs `RUNNER THING PLACE PROGRAM WORD...` for each command
#
# The runner is release/isolated.sh, with a virtual environment, or release/contained.sh, with an image.
set -euo pipefail
runner=("$@")
town=$(mktemp -d)
trap 'rm -rf "$town"' EXIT

run() { "${runner[@]}" "$town/$1" "${@:2}"; }
say() { run "$1" consilience "${@:2}" >"$town/$1.log" 2>&1 || { cat "$town/$1.log"; exit 1; }; }
carry() { cp "$town/$2/"$1 "$town/$3/"; chown -R 10001 "$town/$3"; }

mkdir "$town"/{north,south,analyst}
python3 - "$town" <<'PYTHON'
import csv, random, sys
from pathlib import Path
town, rows = Path(sys.argv[1]), []
for k in range(180):
    centre = 20 * (k % 3)
    rows.append([k, *(round(random.gauss(centre if j % 2 else -centre, 4), 3) for j in range(6))])
for name, part in {"north/public": rows, "north/table": rows[::2], "south/table": rows[1::2]}.items():
    with (town / f"{name}.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["id", *"abcdef"], *part])
PYTHON
chown -R 10001 "$town"/*/

for role in north south analyst; do
  run $role python - <<'PYTHON'
import os, socket
assert os.getuid() == 10001, "a role runs as user 10001"
for place in ("/", "/usr", "/etc"):
    assert os.statvfs(place).f_flag & os.ST_RDONLY, f"{place} is read-only"
assert [name for _, name in socket.if_nameindex()] == ["lo"], "there is no network"
assert "\nCapBnd:\t0000000000000000\n" in open("/proc/self/status").read(), "no capabilities"
PYTHON
done
say north init --for clusters --rows north,south --columns lab --from lab=public.csv --id id --clusters 3
carry study.toml north analyst
for role in north south; do
  say $role keygen --name $role/lab
  carry '*.public.toml' $role analyst
done
say analyst collect study.toml north.lab.public.toml south.lab.public.toml --as analyst
for role in north south; do carry study.toml analyst $role; done
for role in north south; do
  say $role contribute study.toml --as $role/lab --data table.csv --id id --yes --override carried.sh
  carry '*.contribution' $role analyst
  if [ $role = north ]; then carry '*.keys' north south; fi
done
say analyst analyse study.toml --as analyst north.lab.contribution south.lab.contribution --out .
for role in north south; do
  carry "$role.lab.answer" analyst $role
  say $role label study.toml "$role.lab.answer" --as $role/lab --data table.csv --id id --out labels.csv
  n=$(($(wc -l <"$town/$role/labels.csv") - 1))
  echo "$role: $n rows labelled by user 10001, read-only, without a network"
done
