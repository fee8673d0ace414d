#!/bin/sh
# Makes the image of test guests: busybox and dropbear in a container. Usage: image.sh DIRECTORY, which holds tiny.tar.gz
# and tiny-unready.tar.gz then.
# What the guest is comes by cloud-init's user data, of which its init reads the few lines that the tests need.
set -eu
dir=$1
root=$dir/rootfs
mkdir -p "$dir/templates"
for each in bin sbin etc/dropbear proc sys dev tmp root/.ssh run mnt lib lib64 usr/bin usr/sbin usr/share/udhcpc var/log; do
  mkdir -p "$root/$each"
done
cp "$(command -v busybox)" "$root/bin/busybox"
for applet in $("$root/bin/busybox" --list); do
  [ "$applet" = busybox ] || ln -sf /bin/busybox "$root/bin/$applet"
done
for program in dropbear dropbearkey; do
  path=$(command -v $program || command -v /usr/sbin/$program)
  cp "$path" "$root/usr/bin/$program"
  for library in $(ldd "$path" | grep -oE '/[^ ]+\.so[^ ]*' | sort -u) $(ls /lib/*-linux-gnu/libnss_files.so.2); do
    mkdir -p "$root$(dirname "$library")"
    cp -L "$library" "$root$library"
  done
done
# Process 1. A shell that ends takes the container with it, at once: SIGPWR is how Incus asks for that.
cat >"$root/sbin/init" <<'X'
#!/bin/sh
rm -f /run/deaf
trap '[ -e /run/deaf ] || exit 0' PWR
data=/etc/user-data
hostname "$(sed -n 's/^hostname: *//p' $data)"
[ -e /etc/made ] || sed -n 's/^ *- \(ssh-.*\)/\1/p' $data >/root/.ssh/authorized_keys
: >/etc/made
chmod 700 /root /root/.ssh
chmod 600 /root/.ssh/authorized_keys
ip link set lo up
ip link set eth0 up
udhcpc -q -i eth0 -s /usr/share/udhcpc/default.script -t 30 -T 1 -A 1 >/dev/null 2>&1
dropbear -R
while :; do sleep 3600 & wait $!; done
X
cat >"$root/usr/share/udhcpc/default.script" <<'X'
#!/bin/sh
case $1 in bound | renew)
  ip addr flush dev "$interface" scope global
  ip addr add "$ip/${mask:-24}" dev "$interface"
  ip route replace default via "$router"
esac
X
# Not every busybox has it.
cat >"$root/usr/sbin/chpasswd" <<'X'
#!/bin/sh
IFS=: read -r user password
sed -i "s|^$user:[^:]*:|$user:$(mkpasswd -m sha512 "$password"):|" /etc/shadow
X
chmod +x "$root/usr/sbin/chpasswd" "$root/sbin/init" "$root/usr/share/udhcpc/default.script"
chmod 700 "$root/root" "$root/root/.ssh"
echo root:x:0:0:root:/root:/bin/sh >"$root/etc/passwd"
echo root:x:0: >"$root/etc/group"
echo 'root::19000:0:99999:7:::' >"$root/etc/shadow"
echo /bin/sh >"$root/etc/shells"
echo 'passwd: files' >"$root/etc/nsswitch.conf"
printf '{{ config_get("cloud-init.user-data", "") }}' >"$dir/templates/user-data.tpl"
# metadata NAME MORE: an image of that name, with more of properties.
metadata() {
  cat >"$dir/metadata.yaml" <<X
architecture: $(uname -m)
creation_date: 1760000000
properties: {os: tiny, vauban.user: root, vauban.min_disk_gb: "1"$2}
templates:
  /etc/user-data: {when: [create, copy], template: user-data.tpl}
X
  tar -C "$dir" --numeric-owner --owner=0 --group=0 -czf "$dir/$1.tar.gz" metadata.yaml templates rootfs
}
metadata tiny ''
# Of guests in which nothing answers that would tell that they are ready: nothing listens on that port.
metadata tiny-unready ', vauban.readiness: "port:2222", vauban.ready_within_seconds: "2"'
