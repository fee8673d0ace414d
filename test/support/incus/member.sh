#!/bin/sh
# Runs one member of a test cluster, in mounts of its own. Usage: member.sh DIRECTORY, inside the member's network namespace.
set -eu
dir=$1
mount --rbind /sys/fs/cgroup "$dir/cg"
# Of this network namespace.
mount -t sysfs sysfs /sys
mount --rbind "$dir/cg" /sys/fs/cgroup
mount -t tmpfs tmpfs /run/lock
export INCUS_DIR="$dir/incus" INCUS_LXC_HOOK=/usr/share/lxc/hooks PATH="$dir/bin:$PATH"
echo $$ >"$dir/pid"
exec /usr/libexec/incus/incusd --group root --logfile "$dir/incusd.log"
