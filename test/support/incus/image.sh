#!/bin/sh
# Makes what images of test guests are made of: busybox and dropbear in a container. Usage: image.sh DIRECTORY, which holds
# rootfs and templates then.
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
if [ ! -e /etc/made ]; then
  user=$(sed -n 's/^user: *//p' $data)
  home=/root
  if [ "$user" ]; then
    # Root by another name, for which sudo has nothing to do.
    home=/home/$user
    echo "$user:x:0:0::$home:/bin/sh" >>/etc/passwd
    echo "$user:*:19000:0:99999:7:::" >>/etc/shadow
  fi
  mkdir -p $home/.ssh
  sed -n 's/^ *- \(ssh-.*\)/\1/p' $data >$home/.ssh/authorized_keys
  chmod 700 $home $home/.ssh
  chmod 600 $home/.ssh/authorized_keys
fi
: >/etc/made
ip link set lo up
ip link set eth0 up
udhcpc -q -i eth0 -s /usr/share/udhcpc/default.script -t 30 -T 1 -A 1 >/dev/null 2>&1
dropbear -R
# A login at the console, as every distribution has it.
while :; do setsid getty -L 115200 console linux; done &
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
cat >"$root/usr/bin/sudo" <<'X'
#!/bin/sh
[ "$1" != -n ] || shift
exec "$@"
X
chmod +x "$root/usr/bin/sudo" "$root/usr/sbin/chpasswd" "$root/sbin/init" "$root/usr/share/udhcpc/default.script"
chmod 700 "$root/root" "$root/root/.ssh"
echo root:x:0:0:root:/root:/bin/sh >"$root/etc/passwd"
echo root:x:0: >"$root/etc/group"
echo 'root::19000:0:99999:7:::' >"$root/etc/shadow"
echo /bin/sh >"$root/etc/shells"
echo 'passwd: files' >"$root/etc/nsswitch.conf"
printf '{{ config_get("cloud-init.user-data", "") }}' >"$dir/templates/user-data.tpl"
