#!/usr/bin/env bash
# One command of a role in a root of its own: the promises of the container file, kept with
# namespaces where there is no container engine. As root, on Linux.
#
#     release/isolated.sh PREFIX PLACE PROGRAM WORD...
#
# PREFIX is a virtual environment with consilience in it, PLACE becomes /role. The root is mounted
# read-only but for /role and /tmp, in new mount, process, host and network namespaces; the user is
# 10001, without any capability.
set -euo pipefail
prefix=$(realpath "$1") place=$2 program=$3
shift 3
base=$("$prefix/bin/python" -c 'import sys; print(sys.base_prefix)')
exec unshare --mount --pid --fork --net --uts --ipc bash -euc '
  place=$1 prefix=$2 base=$3; shift 3
  root=/mnt; mount -t tmpfs tmpfs "$root"
  mkdir -p "$root"/{usr,etc,proc,tmp,role,dev}
  mount --bind /usr "$root/usr"; mount -o remount,bind,ro "$root/usr"
  for link in bin lib lib64; do ln -s "usr/$link" "$root/$link"; done
  mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
  for folder in "$prefix" "$base"; do
    case $folder in /usr|/usr/*) continue ;; esac
    mkdir -p "$root$folder"; mount --bind "$folder" "$root$folder"
    mount -o remount,bind,ro "$root$folder"
  done
  touch "$root/dev/urandom" "$root/dev/null"
  mount --bind /dev/urandom "$root/dev/urandom"; mount --bind /dev/null "$root/dev/null"
  mount -t proc proc "$root/proc"
  mount --bind "$place" "$root/role"
  mount -o remount,ro "$root"
  export HOME=/tmp MPLCONFIGDIR=/tmp/m NUMBA_CACHE_DIR=/tmp/n PYTHONDONTWRITEBYTECODE=1
  export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
  exec chroot "$root" /usr/bin/setpriv --reuid 10001 --regid 10001 --clear-groups \
    --inh-caps=-all --bounding-set=-all --no-new-privs sh -c "cd /role && exec \"\$@\"" sh "$@"
' sh "$place" "$prefix" "$base" "$prefix/bin/$program" "$@"
