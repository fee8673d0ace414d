#!/bin/sh
# Gives the mounts of a member a /dev of its own, which has what Incus looks for before it runs virtual machines, also where
# the kernel has not. Usage: devices.sh DIRECTORY, which it is made in.
set -eu
mkdir -p "$1"
mount -t tmpfs -o mode=755 tmpfs "$1"
for each in /dev/* /dev/.[!.]*; do
  [ -e "$each" ] || [ -L "$each" ] || continue
  if [ -d "$each" ] && [ ! -L "$each" ]; then
    mkdir "$1/${each##*/}"
    mount --rbind "$each" "$1/${each##*/}"
  else
    cp -a "$each" "$1/"
  fi
done
for each in kvm vhost-vsock; do [ -e "$1/$each" ] || : >"$1/$each"; done
mount --rbind "$1" /dev
