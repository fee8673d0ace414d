#!/usr/bin/env bash
# Builds the image "debian-12": Debian 12 with its cloud kernel, cloud-init, OpenSSH and the QEMU guest agent, as a
# hoster would sell it. Takes root, for the files' owners, and some minutes.
#
#   images/debian-12/build.sh OUT [CACHE]   makes disk.qcow2 and image.json in OUT
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib.sh"
directories "$@"
need apt-get apt-cache dpkg-deb mmdebstrap sfdisk mke2fs debugfs qemu-img
[ "$(id -u)" -eq 0 ] || fail 'run this as root: the files of the guest belong to many users'

# Room to unpack and update in, on the smallest disk that the template may be sold with.
readonly DISK_MB=2048
# Without KVM on a busy host the kernel's check of its timer fails at times, and it would stop there.
readonly APPEND='root=LABEL=vauban-root ro console=tty0 console=ttyS0,115200 no_timer_check'
readonly MIRROR=http://deb.debian.org
readonly PACKAGES=(linux-image-cloud-amd64 systemd-sysv udev dbus systemd-resolved systemd-timesyncd netplan.io
  cloud-init cloud-guest-utils fdisk e2fsprogs openssh-server qemu-guest-agent sudo apt ca-certificates iproute2
  iputils-ping less nano procps curl)

work=$(mktemp -d "$out/building.XXXXXX")
trap 'rm -rf "$work"' EXIT
root=$work/root

packages() {
  local keyring=/usr/share/keyrings/debian-archive-keyring.gpg part list
  [ -e $keyring ] || fail "not there: $keyring (package debian-archive-keyring)"
  for part in 'debian bookworm' 'debian bookworm-updates' 'debian-security bookworm-security'; do
    list+="deb [signed-by=$keyring] $MIRROR/$part main"$'\n'
  done
  mmdebstrap --mode=root --variant=minbase --include="$(IFS=,; echo "${PACKAGES[*]}")" \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    bookworm "$root" - <<<"$list"
}

configure() {
  cp -R "$here/root/." "$root/"
  # It makes a locale at the first boot, which takes half a minute without hardware virtualisation.
  sed -i '/^ - locale$/d' "$root/etc/cloud/cloud.cfg"
  # Every guest makes its own.
  rm -f "$root"/etc/ssh/ssh_host_* "$root/var/lib/dbus/machine-id"
  : >"$root/etc/machine-id"
  # These follow the newest kernel, so that an update in the guest takes effect.
  ln -sf ../vmlinuz "$root/boot/vmlinuz"
  ln -sf ../initrd.img "$root/boot/initrd"
  rm -rf "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/*.bin "$root"/var/log/*.log "$root"/var/log/apt
}

mapfile -t loader < <(with_libraries grub-common grub-pc-bin | sort -u)
unpacked=$(unpack "$cache" "${loader[@]}")
say 'make the root from its packages'
packages
say 'configure the root'
configure
make_disk "$unpacked" "$root" "$DISK_MB" "$APPEND" "$out/disk.qcow2"
echo '{ "user": "debian" }' >"$out/image.json"
