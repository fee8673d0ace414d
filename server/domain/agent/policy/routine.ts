import type { Grammar, Test } from './arguments.ts';
import {
  COUNT,
  each,
  either,
  exactly,
  matching,
  NAME,
  none,
  oneOf,
  PACKAGE,
  PIDS,
  some,
  verbs,
} from './tests.ts';

/**
 * Services whose restart does no lasting harm. Restarting a stopped service starts it, so its effect must be known: a
 * unit with any other name may upgrade the system, power it off, or run anything.
 */
const SERVICE: Test = matching(
  /^(?:apache2|httpd|nginx|caddy|haproxy|traefik|varnish|lighttpd|ssh|sshd|mysqld?|mariadb|postgresql(?:@[0-9]{1,2}-[a-z]+|-[0-9]{1,2})?|mongod|redis(?:-server)?|memcached|rabbitmq-server|elasticsearch|docker|containerd|crond?|rsyslog|syslog-ng|fail2ban|postfix|dovecot|exim4?|php[0-9.]*-fpm|named|bind9|unbound|chronyd?|ntpd?|supervisor|supervisord|uwsgi|grafana-server|prometheus|prometheus-node-exporter|node_exporter|zabbix-agent2?|vsftpd|smbd|nmbd)(?:\.service)?$/,
);
const SERVICES = some(SERVICE, 5);

/**
 * Routine maintenance commands: their changes do no lasting harm and are fixed by running the command again. Some fetch
 * data, but only from the sources that the machine is configured with, and send nothing from the command.
 */
export const ROUTINE: Grammar = {
  systemctl: {
    flags: 'q --no-pager --no-block --quiet',
    operands: verbs({
      restart: SERVICES,
      'try-restart': SERVICES,
      reload: SERVICES,
      'reload-or-restart': SERVICES,
      'reset-failed': SERVICES,
      'daemon-reload': none,
    }),
  },
  // Without systemd, even the status comes from a script of the service.
  service: { operands: exactly(SERVICE, oneOf('status', 'restart', 'reload', 'force-reload')) },
  // Package lists and downloaded archives; installs nothing.
  'apt-get': [
    { flags: 'qy --quiet', operands: exactly(oneOf('update', 'clean', 'autoclean')) },
    {
      flags: 'sqVu --simulate --dry-run --just-print',
      operands: exactly(oneOf('upgrade', 'dist-upgrade', 'autoremove')),
      needs: ['-s|--simulate|--dry-run|--just-print'],
    },
  ],
  // The queries keep their result in a cache file, which they rewrite if they may.
  apt: [
    { flags: 'qy --quiet', operands: exactly(oneOf('update', 'clean', 'autoclean')) },
    {
      flags: 'aq --upgradable --installed --all-versions --quiet',
      operands: verbs({
        list: each(PACKAGE),
        show: some(PACKAGE),
        policy: each(PACKAGE),
        search: some(PACKAGE),
      }),
    },
  ],
  'apt-cache': { operands: verbs({ policy: each(PACKAGE), show: some(PACKAGE), search: some(PACKAGE) }) },
  // In the one order of options in which no version of rpm installs anything.
  rpm: [
    { operands: none, flags: 'qa', needs: ['-q', '-a'] },
    ([option, ...names]) =>
      option !== undefined && oneOf('-q', '-qi', '-ql')(option) && some(PACKAGE)(names, new Map()),
  ],
  dnf: { flags: 'q --quiet', operands: exactly(oneOf('check-update', 'makecache')) },
  yum: { flags: 'q --quiet', operands: exactly(oneOf('check-update', 'makecache')) },
  nginx: { flags: 'tq', needs: ['-t'] },
  apachectl: { operands: exactly(oneOf('configtest')) },
  apache2ctl: { operands: exactly(oneOf('configtest')) },
  // The docker client may be configured to use another machine's daemon.
  docker: {
    flags: 'aqs --no-trunc --no-stream --all',
    operands: (words, options) =>
      verbs({ ps: none, images: none, version: none, stats: () => options.has('--no-stream') })(
        words,
        options,
      ),
  },
  // These take a lock and load the kernel modules that they need.
  iptables: [
    {
      flags: 'Lnv --line-numbers --list --numeric',
      values: { '-t': oneOf('filter', 'nat', 'mangle', 'raw', 'security') },
      operands: each(NAME, 1),
      needs: ['-L|--list', '-n|--numeric'],
    },
    {
      flags: 'Sv --list-rules',
      values: { '-t': oneOf('filter', 'nat', 'mangle', 'raw', 'security') },
      operands: each(NAME, 1),
      needs: ['-S|--list-rules'],
    },
  ],
  ufw: { operands: either(exactly(oneOf('status')), exactly(oneOf('status'), oneOf('verbose', 'numbered'))) },
  // `top` creates a directory for its settings.
  top: {
    flags: 'bcHi1',
    values: {
      '-n': COUNT,
      '-o': matching(/^[+-]?[A-Za-z%]+$/),
      '-p': PIDS,
      '-d': matching(/^\d{1,2}(?:\.\d)?$/),
      '-u': NAME,
      '-w': COUNT,
    },
    needs: ['-b', '-n'],
  },
  timedatectl: { operands: exactly(oneOf('set-ntp'), oneOf('true')) },
  sync: {},
};
