#!/bin/sh
# The least that makes a guest of an image: a disk over it, a tap with a route, and QEMU. What the service is compared with.
#   bare-guest.sh DIRECTORY BASE TAP ADDRESS MAC SEED ARGUMENTS-OF-QEMU …
set -e
directory=$1 base=$2 tap=$3 address=$4 mac=$5 seed=$6
shift 6
qemu-img create -q -f qcow2 -F qcow2 -b "$base" "$directory/disk.qcow2" 1000000000
ip tuntap add dev "$tap" mode tap
echo 1 >"/proc/sys/net/ipv4/conf/$tap/proxy_arp"
echo 0 >"/proc/sys/net/ipv4/neigh/$tap/proxy_delay"
ip link set dev "$tap" up
ip route add "$address/32" dev "$tap"
exec qemu-system-x86_64 -nodefaults -no-user-config -display none \
  -drive "if=virtio,format=qcow2,file=$directory/disk.qcow2" \
  -drive "if=virtio,format=raw,readonly=on,file=$seed" \
  -netdev "tap,id=net0,ifname=$tap,script=no,downscript=no" \
  -device "virtio-net-pci,netdev=net0,mac=$mac,romfile=" \
  -device virtio-rng-pci -serial "file:$directory/console.log" "$@"
