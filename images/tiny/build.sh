#!/usr/bin/env bash
# Builds the image "tiny" from Debian's packages: the cloud kernel, busybox, dropbear, resize2fs and the QEMU guest
# agent. It boots in seconds without hardware virtualisation and does what Vauban asks of a guest: for tests and a
# first start, not for customers.
#
#   images/tiny/build.sh OUT [CACHE]   makes disk.qcow2, kernel, initrd and image.json in OUT; keeps packages in CACHE
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib.sh"
directories "$@"
need apt-get apt-cache dpkg-deb cpio gzip sfdisk depmod mke2fs debugfs qemu-img as ld

# Room for the guest's own use before its disk grows.
readonly DISK_MB=64
# Without KVM on a busy host the kernel's check of its timer fails at times, and it would stop there.
readonly APPEND='console=tty0 console=ttyS0,115200 no_timer_check quiet'
# In the order of need. What the kernel has built in has no file, and is skipped. Incus has disks of virtual machines as SCSI.
readonly MODULES=(virtio_pci virtio_blk virtio_scsi sd_mod ext4 virtio_net virtio_rng virtio_balloon virtio_console sr_mod isofs
  button evdev pvpanic-pci i6300esb)

kernel=$(apt-cache depends linux-image-cloud-amd64 2>/dev/null | awk '/Depends: linux-image-/{print $2; exit}')
[ "$kernel" ] || fail 'apt offers no linux-image-cloud-amd64: tiny is built on Debian; elsewhere import a built one'
version=${kernel#linux-image-}
mapfile -t packages < <(with_libraries busybox-static dropbear-bin e2fsprogs qemu-guest-agent grub-common grub-pc-bin | sort -u)
unpacked=$(unpack "$cache" "$kernel" "${packages[@]}")

work=$(mktemp -d "$out/building.XXXXXX")
trap 'rm -rf "$work"' EXIT

build_initrd() {
  local ram=$work/initramfs module file
  mkdir -p "$ram"/{bin,dev,proc,sys,root,lib/modules}
  cp "$unpacked/bin/busybox" "$ram/bin/"
  install -m 755 "$here/initramfs/init" "$ram/init"
  [ -e "$unpacked/lib/modules/$version/modules.dep" ] || depmod -b "$unpacked" "$version"
  for module in "${MODULES[@]}"; do
    # A line of modules.dep is a module and what it needs, the farthest last.
    { grep -E "/${module//[-_]/[-_]}\.ko[^:]*:" "$unpacked/lib/modules/$version/modules.dep" || true; } |
      tr -d : | tr ' ' '\n' | tac
  done | awk '!seen[$0]++' | while read -r file; do
    cp "$unpacked/lib/modules/$version/$file" "$ram/lib/modules/"
    basename "$file" >>"$ram/lib/modules/order"
  done
  find "$ram" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  (cd "$ram" && find . | sort | cpio -o -H newc --reproducible --owner=0:0 --quiet) | gzip -9n >"$out/initrd"
}

build_root() {
  local root=$work/root program library applet
  mkdir -p "$root"/{bin,sbin,boot,dev,etc/dropbear,home,lib,lib64,media,mnt,proc,root/.ssh,run,sys,tmp,usr/bin,usr/sbin,var/log}
  chmod 700 "$root/root" "$root/root/.ssh"
  chmod 1777 "$root/tmp"
  cp "$unpacked/bin/busybox" "$root/bin/"
  for applet in $("$unpacked/bin/busybox" --list); do
    case $applet in
    busybox) ;;
    # Ours are at once, where busybox takes seconds to end what runs.
    poweroff | reboot) ln -s "/sbin/$applet" "$root/bin/$applet" ;;
    *) ln -s /bin/busybox "$root/bin/$applet" ;;
    esac
  done
  ln -s /bin/busybox "$root/sbin/init"
  for program in /usr/sbin/dropbear /usr/bin/dropbearkey /sbin/resize2fs /usr/sbin/qemu-ga; do
    cp "$unpacked$program" "$root$program"
    for library in $(libraries "$unpacked" "$program"); do cp -nL "$library" "$root/lib/"; done
  done
  cp -L "$unpacked/lib64/ld-linux-x86-64.so.2" "$root/lib64/"
  cp -R "$here/root/." "$root/"
  # Files only: chmod would follow a link, and those here lead to programs of the machine that builds.
  find "$root"/etc/init.d "$root"/etc/acpi/PWRF "$root"/sbin "$root"/usr/sbin -type f -exec chmod 755 {} +
  chmod 600 "$root/etc/shadow"
  as -o "$work/reseed.o" "$here/reseed.s"
  ld -s --build-id=none -o "$root/usr/sbin/reseed" "$work/reseed.o"
  cp "$out/kernel" "$root/boot/vmlinuz"
  cp "$out/initrd" "$root/boot/initrd"
}

cp "$unpacked/boot/vmlinuz-$version" "$out/kernel"
chmod 644 "$out/kernel"
build_initrd
build_root
make_disk "$unpacked" "$work/root" "$DISK_MB" "$APPEND" "$out/disk.qcow2"
printf '{ "user": "root", "append": "%s", "warm": true }\n' "$APPEND" >"$out/image.json"
