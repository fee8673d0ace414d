#!/bin/sh
# Runs one member of a test cluster, in mounts of its own. Usage: member.sh DIRECTORY, inside the member's network namespace.
# Where DIRECTORY has firmware its guests can be virtual machines, also without KVM.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
dir=$1
mount --rbind /sys/fs/cgroup "$dir/cg"
# Of this network namespace.
mount -t sysfs sysfs /sys
mount --rbind "$dir/cg" /sys/fs/cgroup
mount -t tmpfs tmpfs /run/lock
export INCUS_DIR="$dir/incus" INCUS_LXC_HOOK=/usr/share/lxc/hooks PATH="$dir/bin:$PATH"
echo $$ >"$dir/pid"
set -- /usr/libexec/incus/incusd --group root --logfile "$dir/incusd.log"
if [ -d "$dir/firmware" ]; then
  "$here/vm/devices.sh" "$dir/dev"
  export INCUS_EDK2_PATH="$dir/firmware"
  set -- /usr/bin/python3 "$here/vm/vsock.py" "$@"
fi
exec "$@"
