import type { CommandRule } from './arguments.ts';
import {
  each,
  either,
  exactly,
  NAME,
  NUMBER,
  none,
  oneOf,
  PACKAGE,
  some,
  TEXT,
  UNIT,
  verbs,
} from './tests.ts';

const PROCESS_COLUMNS = new Set(
  '%cpu %mem args cmd comm cputime egid etime etimes euid fname gid group lstart maj_flt min_flt ni nlwp pcpu pgid pid pmem ppid pri psr rss s sid size stat start start_time state stime tid time tty tt ucmd uid unit user vsz wchan'.split(
    ' ',
  ),
);
/** "pid,comm,%mem", "args=": columns that do not show what a program was given in its environment. */
const COLUMNS = ({ value }: { value: string }) =>
  value.split(',').every((column) => PROCESS_COLUMNS.has(column.split(/[:=]/, 1)[0]!.toLowerCase()));
const SORT_KEYS = ({ value }: { value: string }) =>
  value.split(',').every((key) => PROCESS_COLUMNS.has(key.replace(/^[+-]/, '')));
/** `ps aux`; not `e`, which shows environments. */
const BSD_STYLE = ({ value }: { value: string }) => /^[auxwfjlvTr]+$/.test(value);

const PROPERTIES = ({ value }: { value: string }) =>
  /^(?:(?:Id|Names|Description|LoadState|ActiveState|SubState|UnitFileState|MainPID|NRestarts|Result|ExecMainStatus|ExecMainCode|MemoryCurrent|CPUUsageNSec|TasksCurrent|ActiveEnterTimestamp|InactiveEnterTimestamp|StateChangeTimestamp)(?:,|$))+$/.test(
    value,
  );

const SYSTEMCTL_LOOKS: CommandRule = {
  flags: 'alqr --no-pager --all --full --quiet --plain --failed --no-legend --value --reverse --show-types',
  values: {
    '-n': NUMBER,
    '--lines': NUMBER,
    '-t': NAME,
    '--type': NAME,
    '--state': NAME,
    '-p': PROPERTIES,
    '--property': PROPERTIES,
    '-o': oneOf('short', 'short-iso', 'cat', 'json'),
    '--output': oneOf('short', 'short-iso', 'cat', 'json'),
  },
  operands: either(
    none,
    verbs({
      status: each(UNIT),
      'is-active': some(UNIT),
      'is-enabled': some(UNIT),
      'is-failed': each(UNIT),
      'is-system-running': none,
      'list-units': each(UNIT),
      'list-unit-files': each(UNIT),
      'list-timers': each(UNIT),
      'list-sockets': each(UNIT),
      'list-dependencies': each(UNIT),
      'list-jobs': none,
      'get-default': none,
      // Without a choice of properties it shows the environment, in which there may be passwords.
      show: (words, options) =>
        (options.has('-p') || options.has('--property')) && words.length > 0 && words.every(UNIT),
    }),
  ),
};

/** Commands that show how the machine is, and change nothing. */
export const READ_ONLY_SYSTEM: Record<string, CommandRule | CommandRule[]> = {
  ps: {
    flags: 'aAdefFlLjMTVwyHcZ --forest --no-headers --headers --deselect',
    values: {
      '-o': COLUMNS,
      '--format': COLUMNS,
      '--sort': SORT_KEYS,
      '-C': NAME,
      '-p': ({ value }) => /^\d+(,\d+)*$/.test(value),
      '--pid': ({ value }) => /^\d+(,\d+)*$/.test(value),
      '-u': NAME,
      '-U': NAME,
      '--ppid': NUMBER,
    },
    operands: each(BSD_STYLE, 1),
  },
  pgrep: { flags: 'alcfx', values: { '-u': NAME }, operands: exactly(TEXT) },
  pidof: { flags: 's', operands: some(NAME) },
  pstree: { flags: 'pualnT', operands: each(NAME, 1) },
  top: { flags: 'bcHi1', values: { '-n': NUMBER, '-o': NAME, '-p': NUMBER, '-d': NUMBER, '-u': NAME } },
  free: { flags: 'bkmghtwl --mega --giga --human --total --wide', values: { '-s': NUMBER, '-c': NUMBER } },
  uptime: { flags: 'ps --pretty --since' },
  vmstat: { flags: 'asdwtm', values: { '-S': NAME }, operands: each(NUMBER, 2) },
  iostat: { flags: 'cdhkmNtxyz', operands: each(NUMBER, 2) },
  mpstat: { flags: 'Au', values: { '-P': NAME }, operands: each(NUMBER, 2) },
  pidstat: { flags: 'dhlrtuw', values: { '-p': NUMBER }, operands: each(NUMBER, 2) },
  nproc: { flags: '--all' },
  lscpu: { flags: 'eapx --all --json' },
  lsmem: { flags: 'abJ' },
  lsblk: { flags: 'abdfilmnprtJOS --all --fs --json', values: { '-o': TEXT } },
  lspci: { flags: 'knvt' },
  lsmod: {},
  uname: { flags: 'asnrvmpio --all' },
  arch: {},
  hostname: { flags: 'fIisdA --fqdn --all-ip-addresses --short' },
  hostnamectl: { operands: either(none, exactly(oneOf('status'))) },
  timedatectl: {
    flags: '--no-pager',
    operands: either(none, exactly(oneOf('status', 'show', 'timesync-status'))),
  },
  localectl: { operands: either(none, exactly(oneOf('status'))) },
  loginctl: {
    flags: '--no-pager --no-legend',
    operands: either(none, exactly(oneOf('list-sessions', 'list-users', 'list-seats'))),
  },
  resolvectl: { flags: '--no-pager', operands: either(none, exactly(oneOf('status', 'dns', 'statistics'))) },
  networkctl: { flags: 'a --no-pager', operands: either(none, verbs({ list: none, status: each(NAME) })) },
  date: {
    flags: 'uRI --utc --rfc-email',
    // Without the plus it sets the clock.
    operands: each(({ value, glob }) => !glob && value.startsWith('+'), 1),
  },
  who: { flags: 'abdHlmpqrstTu --all', operands: either(none, exactly(oneOf('am'), oneOf('i'))) },
  w: { flags: 'hsfoi', operands: each(NAME, 1) },
  users: {},
  last: { digits: true, flags: 'adFiwxR', values: { '-n': NUMBER }, operands: each(NAME, 2) },
  lastlog: { values: { '-u': NAME, '-t': NUMBER } },
  whoami: {},
  id: { flags: 'ugGnr', operands: each(NAME, 1) },
  groups: { operands: each(NAME, 1) },
  getent: { operands: verbs({ passwd: each(NAME), group: each(NAME), services: each(NAME), hosts: none }) },
  dmesg: { flags: 'HTtxkue --human --ctime --kernel --nopager', values: { '-l': TEXT, '--level': TEXT } },
  sysctl: { flags: 'aneN', operands: each(({ value, glob }) => !glob && /^[a-z0-9_./-]+$/.test(value)) },
  swapon: {
    flags: 's --show --noheadings --bytes --summary',
    operands: (words, options) => options.size > 0 && words.length === 0,
  },
  mount: { flags: 'l', values: { '-t': NAME } },
  findmnt: { flags: 'aADJlnrst --df --real', values: { '-t': NAME }, operands: each(TEXT, 1) },
  systemctl: SYSTEMCTL_LOOKS,
  service: { flags: '--status-all', operands: either(none, exactly(NAME, oneOf('status'))) },
  'systemd-analyze': {
    flags: '--no-pager',
    operands: either(none, exactly(oneOf('time', 'blame', 'critical-chain'))),
  },
  journalctl: {
    flags:
      'xekrqab --no-pager --no-full --reverse --dmesg --catalog --pager-end --quiet --all --utc --disk-usage --list-boots --no-hostname',
    values: {
      '-u': UNIT,
      '--unit': UNIT,
      '-n': ({ value }) => /^(\d+|all)$/.test(value),
      '--lines': ({ value }) => /^(\d+|all)$/.test(value),
      '-p': NAME,
      '--priority': NAME,
      '-o': NAME,
      '--output': NAME,
      '-S': TEXT,
      '--since': TEXT,
      '-U': TEXT,
      '--until': TEXT,
      '-g': TEXT,
      '--grep': TEXT,
      '-t': NAME,
      '--identifier': NAME,
    },
  },
  ss: {
    flags: 'tulpnaeimosr460xHOwWS --summary --listening --tcp --udp --processes --numeric --all',
    operands: each(TEXT),
  },
  netstat: { flags: 'tulpnarsiew' },
  lsof: { flags: 'niPl', operands: each(({ value, glob }) => !glob && /^:\d{1,5}$/.test(value), 1) },
  arp: { flags: 'an' },
  route: { flags: 'n' },
  iptables: {
    flags: 'LSnv --line-numbers',
    values: { '-t': NAME },
    operands: (words, options) =>
      (options.has('-L') || options.has('-S')) && words.length <= 1 && words.every(NAME),
  },
  nft: { flags: 'an', operands: exactly(oneOf('list'), oneOf('ruleset', 'tables')) },
  ufw: { operands: either(exactly(oneOf('status')), exactly(oneOf('status'), oneOf('verbose', 'numbered'))) },
  crontab: { flags: 'l', operands: (words, options) => options.has('-l') && words.length === 0 },
  dpkg: {
    flags: 'lsL --list --status --listfiles --audit --print-architecture',
    operands: (words, options) => options.size === 1 && words.every(PACKAGE),
  },
  'dpkg-query': { flags: 'WlsL --show --list', values: { '-f': TEXT }, operands: each(PACKAGE) },
  apt: {
    flags: 'aq --upgradable --installed --all-versions --quiet',
    operands: verbs({
      list: each(PACKAGE),
      show: some(PACKAGE),
      policy: each(PACKAGE),
      search: some(PACKAGE),
    }),
  },
  'apt-cache': { operands: verbs({ policy: each(PACKAGE), show: some(PACKAGE), search: some(PACKAGE) }) },
  'apt-get': {
    flags: 'sqVu --simulate --dry-run --just-print',
    operands: (words, options) =>
      ['-s', '--simulate', '--dry-run', '--just-print'].some((name) => options.has(name)) &&
      exactly(oneOf('upgrade', 'dist-upgrade', 'autoremove'))(words, options),
  },
  'apt-mark': { operands: exactly(oneOf('showhold', 'showmanual', 'showauto')) },
  rpm: { flags: 'qai', operands: (words, options) => options.has('-q') && words.every(PACKAGE) },
  docker: {
    flags: 'aqs --no-trunc --no-stream --all',
    operands: (words, options) =>
      verbs({ ps: none, images: none, version: none, stats: () => options.has('--no-stream') })(
        words,
        options,
      ),
  },
};
