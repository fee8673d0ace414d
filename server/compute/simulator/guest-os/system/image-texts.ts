import type { System } from './system.ts';

type Texts = Record<string, () => string>;

const NGINX = `user www-data;
worker_processes auto;
events { worker_connections 768; }
http {
  access_log /var/log/nginx/access.log;
  server { listen 80 default_server; root /var/www/html; }
}
`;

/** Returns configuration files that people are likely to look at. */
export function etcFiles(system: System): Texts {
  const { guest, distribution } = system;
  const { family, name, version, user } = distribution;
  const title = `${name} ${version}`;
  return {
    '/etc/hostname': () => `${guest.hostname}\n`,
    '/etc/hosts': () => `127.0.0.1 localhost\n127.0.1.1 ${guest.hostname}\n::1 localhost ip6-localhost\n`,
    '/etc/os-release': () =>
      `PRETTY_NAME="${title}"\nNAME="${name}"\nVERSION_ID="${version}"\nVERSION="${version}"\nID=${family}\n`,
    '/etc/issue': () => `${title} \\n \\l\n`,
    '/etc/passwd': () =>
      'root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n' +
      `www-data:x:33:33:www-data:/var/www:/usr/sbin/nologin\n${user}:x:1000:1000::/home/${user}:/bin/bash\n`,
    '/etc/group': () => `root:x:0:\nsudo:x:27:${user}\nwww-data:x:33:\n${user}:x:1000:\n`,
    '/etc/shadow': () => `root:*:20000:0:99999:7:::\n${user}:!:20000:0:99999:7:::\n`,
    '/etc/fstab': () => '/dev/vda1 / ext4 rw,discard,errors=remount-ro 0 1\n',
    '/etc/resolv.conf': () => 'nameserver 9.9.9.9\nnameserver 149.112.112.112\n',
    '/etc/crontab': () => '17 * * * * root cd / && run-parts --report /etc/cron.hourly\n',
    '/etc/nginx/nginx.conf': () => NGINX,
    '/etc/ssh/sshd_config': () =>
      'Include /etc/ssh/sshd_config.d/*.conf\nPermitRootLogin yes\nPasswordAuthentication yes\nSubsystem sftp internal-sftp\n',
    '/etc/apt/sources.list': () => `deb https://deb.example.net/${family} stable main\n`,
    '/var/www/html/index.html': () => `<!doctype html><title>${guest.hostname}</title><h1>It works.</h1>\n`,
    '/var/log/nginx/error.log': () => '',
    '/var/log/nginx/access.log': () =>
      '198.51.100.7 - - [01/Jan/2026:00:00:12 +0000] "GET / HTTP/1.1" 200 61 "-" "curl/8.14.1"\n',
  };
}

export function procFiles(system: System): Texts {
  const { guest, distribution } = system;
  const kib = (bytes: number) => `${Math.floor(bytes / 1024)} kB`.padStart(16);
  return {
    '/proc/uptime': () => {
      const seconds = (system.now() - system.bootedAt) / 1000;
      return `${seconds.toFixed(2)} ${(seconds * guest.vcpu * 0.9).toFixed(2)}\n`;
    },
    '/proc/loadavg': () =>
      `${system
        .load()
        .map((load) => load.toFixed(2))
        .join(' ')} 1/96 4242\n`,
    '/proc/meminfo': () => {
      const { total, used, cached } = system.memory();
      return (
        `MemTotal:${kib(total)}\nMemFree:${kib(total - used - cached)}\n` +
        `MemAvailable:${kib(total - used)}\nCached:${kib(cached)}\nSwapTotal:${kib(0)}\nSwapFree:${kib(0)}\n`
      );
    },
    '/proc/cpuinfo': () =>
      Array.from({ length: guest.vcpu }, (_, index) =>
        [`processor\t: ${index}`, 'model name\t: Virtual CPU', 'cpu MHz\t\t: 2600.000', '\n'].join('\n'),
      ).join(''),
    '/proc/version': () => `Linux version ${distribution.kernel} (gcc 14.2.0) #1 SMP PREEMPT_DYNAMIC\n`,
    '/proc/mounts': () => '/dev/vda1 / ext4 rw,relatime 0 0\ntmpfs /run tmpfs rw,nosuid 0 0\n',
  };
}
