#!/bin/sh
# Unpacks the QEMU of Debian 12's backports into a directory of its own, beside the installed one: Incus moves virtual machines
# as they run from QEMU 8.2 on. Usage: newer-qemu.sh DIRECTORY, which is there only once it is whole.
set -eu
target=$1
[ ! -d "$target" ] || exit 0
part=$(mktemp -d)
trap 'rm -rf "$part"' EXIT
cd "$part"
apt-get download -qq -t bookworm-backports qemu-system-x86 qemu-system-common qemu-system-data \
  qemu-system-modules-spice qemu-system-modules-opengl seabios ipxe-qemu
for package in *.deb; do dpkg-deb -x "$package" root; done
# It is installed beside one that has the same dependencies; a library that it alone needs would be missed here.
QEMU_MODULE_DIR=root/usr/lib/x86_64-linux-gnu/qemu root/usr/bin/qemu-system-x86_64 -machine none -version
mkdir -p "$(dirname "$target")"
cp -a root "$target.part"
mv "$target.part" "$target"
