#!/bin/sh
# Stands before QEMU for virtual machines of a test cluster: what Incus asks of KVM runs without it, and what needs the
# kernel's vhost-vsock, by which Incus would reach an agent in the guest, is left out.
set -eu
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
exec /usr/bin/qemu-system-x86_64 "$@"
