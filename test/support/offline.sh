#!/bin/sh
# Runs a command in a network namespace of its own, in which there is no network at all: not even loopback is up.
#   offline.sh [--loopback] command…
# --loopback  loopback alone is up, over which the parts of an editor and a test talk to each other.
# A test that tries to reach anything else fails there. Says why where the system does not allow it.
start='exec "$@"'
if [ "$1" = --loopback ]; then
  shift
  start='ip link set lo up && exec "$@"'
fi
# Without rights of the whole machine, inside a user namespace; tests that act as another user then skip themselves or fail.
for rights in '' --map-root-user; do
  if unshare $rights --net true 2>/dev/null; then exec unshare $rights --net sh -c "$start" sh "$@"; fi
done
echo 'offline: this system does not allow a network namespace of one’s own (unshare --net), so nothing was run.' >&2
exit 1
