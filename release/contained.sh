#!/usr/bin/env bash
# One command of a role in a container of its own, as docs/install.md runs it.
#
#     release/contained.sh IMAGE PLACE PROGRAM WORD...      PLACE becomes /work
#
# ENGINE is docker, podman or a command that takes their words.
set -euo pipefail
image=$1 place=$2 program=$3
shift 3
exec ${ENGINE:-docker} run --rm --interactive --read-only --cap-drop=ALL --network=none --tmpfs /tmp \
  --volume "$place:/work" --entrypoint "$program" "$image" "$@"
