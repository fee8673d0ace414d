# What the builders of images share. To be sourced by a script that runs under `set -euo pipefail`.
# Needs no privileges, no loop device and no mount: packages are unpacked, never installed, and a file system is
# made from a directory.

# Everything that would carry a date or a random number carries these instead, so that the same packages make the
# same image, byte for byte: the store then knows it by its hash.
export PATH=$PATH:/usr/sbin:/sbin
export SOURCE_DATE_EPOCH=1700000000 E2FSPROGS_FAKE_TIME=1700000000 LC_ALL=C TZ=UTC
# Directories of the guest are open to all its users, whatever the caller's umask is.
umask 022
readonly ROOT_UUID=5c1f0a52-7b1e-4d7e-9a55-3f0c2d6b8e10
readonly ROOT_LABEL=vauban-root
readonly MBR_ID=0x76617562

fail() {
  echo "${0##*/}: $*" >&2
  exit 1
}

# say WORD... : what is being done, for the one who waits.
say() {
  echo "$*" >&2
}

# directories OUT [CACHE] : makes both, and sets $out and $cache to their full paths.
directories() {
  [ $# -eq 1 ] || [ $# -eq 2 ] || fail 'usage: build.sh OUT [CACHE]'
  local home=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}
  [ "$(id -u)" -ne 0 ] || home=/var/cache
  mkdir -p "$1" "${2:-$home/vauban}"
  out=$(cd "$1" && pwd) cache=$(cd "${2:-$home/vauban}" && pwd)
}

# need PROGRAM... : refuses, naming all that are missing, before anything was made.
need() {
  local missing=() program
  for program in "$@"; do command -v "$program" >/dev/null || missing+=("$program"); done
  [ ${#missing[@]} -eq 0 ] || fail "not installed: ${missing[*]} (npm run host:setup installs them)"
}

# with_libraries PACKAGE... : the packages and the shared libraries they depend on, a name a line.
with_libraries() {
  printf '%s\n' "$@"
  apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces \
    --no-enhances "$@" | grep -E '^lib' | grep -vE '^libperl|-perl$'
}

# unpack CACHE PACKAGE... : prints a directory with the packages' content, which is downloaded and unpacked unless
# it was before. Their scripts are not run and this machine gets nothing installed.
unpack() {
  local cache=$1 uris names directory
  shift
  uris=$(apt-get download -qq --print-uris "$@") ||
    fail "apt offers not all of: $* (apt-get update, or not a Debian?)"
  names=$(awk '{print $2}' <<<"$uris" | sort)
  directory=$cache/unpacked-$(sha256sum <<<"$names" | cut -c1-16)
  if [ ! -d "$directory" ]; then
    mkdir -p "$cache/deb"
    local unfinished name
    unfinished=$(mktemp -d "$cache/unpacking.XXXXXX")
    say "download and unpack $# packages"
    (cd "$cache/deb" && apt-get download -qq -o APT::Sandbox::User="$(id -un)" "$@" >&2)
    for name in $names; do dpkg-deb -x "$cache/deb/$name" "$unfinished"; done
    mv -T "$unfinished" "$directory" 2>/dev/null || rm -rf "$unfinished"
  fi
  echo "$directory"
}

# in_packages UNPACKED PROGRAM ARGUMENT... : runs a program of unpacked packages with their own libraries.
in_packages() {
  local unpacked=$1 program=$2
  shift 2
  "$unpacked/lib64/ld-linux-x86-64.so.2" --library-path "$(library_path "$unpacked")" "$unpacked$program" "$@"
}

library_path() {
  echo "$1/lib/x86_64-linux-gnu:$1/usr/lib/x86_64-linux-gnu"
}

# libraries UNPACKED PROGRAM : paths of the shared libraries that the program loads.
libraries() {
  "$1/lib64/ld-linux-x86-64.so.2" --library-path "$(library_path "$1")" --list "$1$2" | grep -o '/[^ ]*\.so[^ ]*'
}

# make_disk UNPACKED ROOT MEBIBYTES APPEND OUT : a qcow2 disk of one ext4 partition with the content of ROOT, which
# BIOS and GRUB start with /boot/vmlinuz and /boot/initrd. UNPACKED has grub-common and grub-pc-bin.
make_disk() {
  local unpacked=$1 root=$2 size=$3 append=$4 out=$5 raw=$5.raw work=$5.grub modules
  say 'make the disk'
  modules=$unpacked/usr/lib/grub/i386-pc
  rm -rf "$raw" "$work"
  mkdir -p "$work" "$root/boot/grub"
  cat >"$root/boot/grub/grub.cfg" <<CONFIG
set timeout=0
linux /boot/vmlinuz $append
initrd /boot/initrd
boot
CONFIG
  cat >"$work/load.cfg" <<CONFIG
search.fs_uuid $ROOT_UUID root
set prefix=(\$root)/boot/grub
configfile /boot/grub/grub.cfg
CONFIG
  in_packages "$unpacked" /usr/bin/grub-mkimage -d "$modules" -O i386-pc -p /boot/grub -c "$work/load.cfg" \
    -o "$work/core.img" biosdisk part_msdos ext2 search search_fs_uuid configfile normal linux
  # The core image lives between the boot record and the partition, which begins at sector 2048.
  [ "$(stat -c %s "$work/core.img")" -lt $((2047 * 512)) ] || fail 'the boot loader is too large'

  truncate -s "${size}M" "$raw"
  printf 'label: dos\nlabel-id: %s\nstart=2048, type=83, bootable\n' "$MBR_ID" | sfdisk -q "$raw"
  dd if="$modules/boot.img" of="$raw" bs=440 count=1 conv=notrunc status=none
  # Believe the drive number that the BIOS passes, as grub-install has it for hard disks.
  printf '\x90\x90' | dd of="$raw" bs=1 seek=$((0x66)) conv=notrunc status=none
  dd if="$work/core.img" of="$raw" bs=512 seek=1 conv=notrunc status=none

  find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  mke2fs -q -F -t ext4 -L "$ROOT_LABEL" -U "$ROOT_UUID" -m 1 -O ^metadata_csum_seed \
    -E "offset=1048576,lazy_itable_init=1,hash_seed=$ROOT_UUID,root_owner=0:0" -d "$root" \
    "$raw" $(((size - 1) * 1024))k
  date_inodes "$raw"
  qemu-img convert -f raw -O qcow2 -c "$raw" "$out"
  rm -rf "$raw" "$work"
}

# The times that mke2fs copies from this machine's files and nobody can set there: creation and change.
date_inodes() {
  local image="$1?offset=1048576" counts inodes free
  counts=$(dumpe2fs -h "$image" 2>/dev/null)
  inodes=$(awk '/^Inode count:/{print $3}' <<<"$counts")
  free=$(awk '/^Free inodes:/{print $3}' <<<"$counts")
  for ((inode = 1; inode <= inodes - free; inode++)); do
    for field in atime ctime crtime; do
      echo "set_inode_field <$inode> $field @$SOURCE_DATE_EPOCH"
      echo "set_inode_field <$inode> ${field}_extra 0"
    done
    echo "set_inode_field <$inode> mtime_extra 0"
  done | debugfs -w -f - "$image" >/dev/null 2>&1
}
