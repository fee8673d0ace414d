#!/bin/sh
# Stands before QEMU for virtual machines of a test cluster: what Incus asks of KVM runs without it, and what needs the
# kernel's vhost-vsock, by which Incus would reach an agent in the guest, is left out. Where there is a newer QEMU than Debian 12's,
# which can move machines as they run, it is that one.
set -eu
newer=/var/cache/vauban/qemu-backports/usr
for word; do
  shift
  case ${before:-} in
  -cpu) word=max ;;
  -accel) word=tcg ;;
  -readconfig)
    # A section ends where the next one begins.
    sed -e 's/accel = "kvm"/accel = "tcg"/' -e '/^kernel-irqchip/d' "$word" |
      awk '/^\[/ { skip = /qemu_vsock/ } !skip' >"$word.tcg"
    word=$word.tcg
    ;;
  esac
  before=$word
  set -- "$@" "$word"
done
[ -x "$newer/bin/qemu-system-x86_64" ] || exec /usr/bin/qemu-system-x86_64 "$@"
export QEMU_MODULE_DIR="$newer/lib/x86_64-linux-gnu/qemu"
exec "$newer/bin/qemu-system-x86_64" -L "$newer/share/qemu" -L "$newer/share/seabios" "$@"
