#!/usr/bin/env bash
# A study by files between three roots that share nothing but carried files: the promises of the
# container file, kept with namespaces where there is no container engine.
#
#     release/isolated.sh PREFIX          PREFIX: a virtual environment with consilience in it
#
# Each role runs in a root of its own (chroot), mounted read-only but for /work and /tmp, in new
# mount, process, host and network namespaces, as user 10001 without any capability.
set -euo pipefail
prefix=$(realpath "$1")
base=$("$prefix/bin/python" -c 'import sys; print(sys.base_prefix)')
town=$(mktemp -d)
trap 'rm -rf "$town"' EXIT

run() { # run ROLE WORD...: the command in the root of the role
  local role=$1; shift
  unshare --mount --pid --fork --net --uts --ipc bash -euc '
    root=$1/root; work=$1/work; prefix=$2; base=$3; shift 3
    mkdir -p "$root"; mount -t tmpfs tmpfs "$root"
    mkdir -p "$root"/{usr,etc,proc,tmp,work,dev}
    mount --bind /usr "$root/usr"; mount -o remount,bind,ro "$root/usr"
    for link in bin lib lib64; do ln -s "usr/$link" "$root/$link"; done
    mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
    for place in "$prefix" "$base"; do
      case $place in /usr|/usr/*) continue ;; esac
      mkdir -p "$root$place"; mount --bind "$place" "$root$place"
      mount -o remount,bind,ro "$root$place"
    done
    touch "$root/dev/urandom" "$root/dev/null"
    mount --bind /dev/urandom "$root/dev/urandom"; mount --bind /dev/null "$root/dev/null"
    mount -t proc proc "$root/proc"
    mount --bind "$work" "$root/work"
    mount -o remount,ro "$root"
    export HOME=/tmp MPLCONFIGDIR=/tmp/m NUMBA_CACHE_DIR=/tmp/n PYTHONDONTWRITEBYTECODE=1
    export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
    exec chroot "$root" /usr/bin/setpriv --reuid 10001 --regid 10001 --clear-groups \
      --inh-caps=-all --bounding-set=-all --no-new-privs sh -c "cd /work && exec \"\$@\"" sh "$@"
  ' sh "$town/$role" "$prefix" "$base" "$@"
}
say() { run "$1" "$prefix/bin/python" -m consilience "${@:2}" >"$town/$1/log" 2>&1 || { cat "$town/$1/log"; exit 1; }; }
carry() { cp "$town/$2/work/"$1 "$town/$3/work/"; chown -R 10001 "$town/$3/work"; }

for role in north south analyst; do mkdir -p "$town/$role/root" "$town/$role/work"; done
"$prefix/bin/python" - "$town" <<'PYTHON'
import sys
from pathlib import Path
from sklearn.datasets import load_wine
town, table = Path(sys.argv[1]), load_wine(as_frame=True).data
table.insert(0, "id", range(len(table)))
table.to_csv(town / "north" / "work" / "public.csv", index=False)
for k, role in enumerate(("north", "south")):
    table.iloc[k::2].to_csv(town / role / "work" / "table.csv", index=False)
PYTHON
chown -R 10001 "$town"/*/work

say north init --for clusters --rows north,south --columns lab --from lab=public.csv --id id --clusters 3
carry study.toml north analyst
for role in north south; do say $role keygen --name $role/lab; carry '*.public.toml' $role analyst; done
say analyst collect study.toml north.lab.public.toml south.lab.public.toml --as analyst
for role in north south; do
  carry study.toml analyst $role
done
for role in north south; do
  say $role contribute study.toml --as $role/lab --data table.csv --id id --yes \
    --override isolated.sh
  carry '*.contribution' $role analyst
  if [ $role = north ]; then carry '*.keys' north south; fi
done
say analyst analyse study.toml --as analyst north.lab.contribution south.lab.contribution --out .
for role in north south; do
  carry "$role.lab.answer" analyst $role
  say $role label study.toml "$role.lab.answer" --as $role/lab --data table.csv --id id --out labels.csv
done

run north sh -c 'id -u; touch /usr/x 2>&1 || true; ls /work' >"$town/seen"
grep -q '^10001$' "$town/seen"
grep -q 'Read-only\|Permission denied' "$town/seen"
run north "$prefix/bin/python" -c 'import socket; assert [n for _, n in socket.if_nameindex()] == ["lo"]'
for role in north south; do
  n=$(($(wc -l <"$town/$role/work/labels.csv") - 1))
  echo "$role: $n rows labelled in a root of its own, user 10001, read-only, no network"
done
