#!/bin/sh
# Runs each of the files in CASES as a script, in a root of their own without a network, and has written to TRACE
# what they ask of the kernel. What is secret there holds the word $SECRET. Called in fresh namespaces:
# sandbox.sh ROOT CASES TRACE PATH SHELL…
set -eu
root=$1 cases=$2 trace=$3 path=$4
shift 4

mount -t tmpfs -o mode=755 sandbox "$root"
cd "$root"
mkdir -p bb cases dev etc home net proc root run sys tmp usr var/lib
for name in bin sbin lib lib32 lib64 libx32 usr var/lib/dpkg; do
  if [ -L "/$name" ]; then
    cp -P "/$name" "$name"
  elif [ -d "/$name" ]; then
    mkdir -p "$name"
    mount --bind "/$name" "$name"
    mount -o remount,bind,ro "$name"
  fi
done
mount --bind "$cases" cases
mount -t proc proc proc
mount --bind /sys sys && mount -o remount,bind,ro sys || true
for device in null zero full random urandom tty; do
  : >"dev/$device"
  mount --bind "/dev/$device" "dev/$device"
done
ln -s /proc/self/fd dev/fd

for name in alternatives debian_version group issue iproute2 ld.so.cache ld.so.conf os-release passwd protocols \
  services systemd terminfo timezone; do
  cp -a "/etc/$name" etc/ 2>/dev/null || true
done
# Whatever looks a name up asks a server that cannot be reached, also for the machine's own.
hostname "a-name-that-$$-has-to-be-looked-up"
hostname >etc/hostname
echo '127.0.0.1 localhost' >etc/hosts
echo 'nameserver 192.0.2.53' >etc/resolv.conf
printf 'passwd: files\ngroup: files\nhosts: files dns\nservices: files\n' >etc/nsswitch.conf

plant() {
  mkdir -p "$(dirname "$1")"
  printf 'root:%s:1:\nerror out of memory\n192.0.2.7 GET /\n' "$2" >"$1"
}
for file in etc/shadow etc/gshadow etc/sudoers etc/ssh/ssh_host_ed25519_key etc/ssl/private/key.pem etc/fstab \
  etc/mysql/debian.cnf root/.ssh/id_ed25519 root/.bash_history home/debian/.ssh/id_rsa var/www/app/.env \
  var/log/cloud-init-output.log var/log/btmp var/log/installer/questions.dat var/log/audit/audit.log \
  var/spool/cron/crontabs/root; do
  plant "$file" "$SECRET"
done
for file in syslog syslog.1 kern.log auth.log dpkg.log wtmp lastlog apt/history.log nginx/error.log nginx/access.log; do
  plant "var/log/$file" x
done
: >run/utmp
ln -s ../run var/run
cp "$(command -v busybox)" bb/busybox
for applet in $(busybox --list); do [ -e "bb/$applet" ] || ln -s busybox "bb/$applet"; done

cat >run-cases <<'END'
for case in /cases/*; do
  printf '\036%s\n' "${case#/cases/}"
  /usr/bin/timeout -s KILL 2 "$@" "$case" </dev/null 2>&1
done
END
mount -o remount,bind,ro "$root"
# A process with a secret in its environment, to be looked at.
env -i "SECRET=$SECRET" /usr/bin/setpriv --bounding-set=-all --inh-caps=-all sleep 1000 >/dev/null 2>&1 &

calls=open,openat,openat2,creat,execve,execveat,connect,sendto,sendmsg,sendmmsg,bind,syslog,ptrace,ioctl
calls=$calls,unlink,unlinkat,rename,renameat,renameat2,mkdir,mkdirat,rmdir,link,linkat,symlink,symlinkat
calls=$calls,chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat,truncate,ftruncate,mknod,mknodat,utimensat
calls=$calls,utime,utimes,futimesat,setxattr,lsetxattr,fsetxattr,removexattr,mount,umount2,move_mount,swapon
calls=$calls,swapoff,sethostname,setdomainname,settimeofday,clock_settime,adjtimex,clock_adjtime,reboot
calls=$calls,init_module,finit_module,delete_module,kexec_load,setns,unshare,pivot_root,chroot,quotactl,acct
# The machine's clock and its like are in no namespace: without capabilities they cannot be changed.
strace -f -y -qq --seccomp-bpf -s 256 -o "$trace" -e trace="?$(echo "$calls" | sed 's/,/,?/g')" \
  chroot "$root" /usr/bin/env -i "PATH=$path" HOME=/root LC_ALL=C \
  /usr/bin/setpriv --bounding-set=-all,+syslog --inh-caps=-all /bin/sh -c 'cd /root; . /run-cases' run "$@"
