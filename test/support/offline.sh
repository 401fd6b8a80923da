#!/bin/sh
# Runs a command in a network namespace of its own, in which there is no network at all: not even loopback is up.
# A test that tries to reach anything fails there. Says why where the system does not allow it.
if unshare --net true 2>/dev/null; then exec unshare --net "$@"; fi
# Without rights of the whole machine, inside a user namespace; tests that act as another user then skip themselves or fail.
if unshare --map-root-user --net true 2>/dev/null; then exec unshare --map-root-user --net "$@"; fi
echo 'offline: this system does not allow a network namespace of one’s own (unshare --net), so nothing was run.' >&2
exit 1
