import type { Grammar } from './arguments.ts';
import { PS } from './ps.ts';
import {
  COUNT,
  DIGITS,
  each,
  either,
  exactly,
  FIELDS,
  matching,
  NAME,
  NAMED,
  NAMES,
  none,
  oneOf,
  PATTERN,
  PIDS,
  some,
  TIME,
  verbs,
} from './tests.ts';

/** `vmstat 1 3`; with only one number it never ends. */
const SAMPLES = either(none, exactly(COUNT, COUNT));
/**
 * Kernel settings by their full name: a shortened name stands for everything below it, a slash for any path in some
 * versions, and some network settings are keys.
 */
const SETTING = matching(
  /^(?!.*(?:_key|secret)$)(?:vm|fs|kernel|(?:vm|fs|kernel|dev|net\.(?:core|netfilter|unix|ipv4)|net\.ipv6(?!\.conf(?:\.[a-z0-9_-]+)?$))(?:\.[a-z0-9_-]+)+)$/,
);

/** Commands that show the state of the machine and change nothing. */
export const SYSTEM: Grammar = {
  ps: PS,
  pgrep: { flags: 'alcfx', values: { '-u': NAME }, operands: exactly(PATTERN) },
  pidof: { flags: 's', operands: some(NAME) },
  pstree: { flags: 'pualnT', operands: each(NAME, 1) },
  free: [
    { flags: 'bkmghtwl --mega --giga --human --total --wide --bytes --kibi --mebi --gibi' },
    { flags: 'bkmghtwl', values: { '-s': COUNT, '-c': COUNT }, needs: ['-c'] },
  ],
  uptime: { flags: 'ps --pretty --since' },
  vmstat: { flags: 'asdwtmn', values: { '-S': oneOf('k', 'K', 'm', 'M') }, operands: SAMPLES },
  iostat: { flags: 'cdhkmNtxyz', operands: SAMPLES },
  mpstat: { flags: 'Au', values: { '-P': NAMES }, operands: SAMPLES },
  pidstat: { flags: 'dhlrtuw', values: { '-p': PIDS }, operands: SAMPLES },
  nproc: { flags: '--all' },
  lscpu: { flags: 'eapxJ --all --json' },
  lsmem: { flags: 'abJ' },
  lsblk: {
    flags: 'abdfilmnprtJOS --all --fs --json --list --paths',
    values: { '-o': FIELDS, '--output': FIELDS },
  },
  lspci: { flags: 'knvt' },
  lsmod: {},
  uname: { flags: 'asnrvmpio --all' },
  arch: {},
  // The long name of a machine would be looked up.
  hostname: { flags: 'Is --all-ip-addresses --short' },
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
  date: {
    flags: 'uR --utc --rfc-email',
    values: { '-d': TIME, '--date': TIME },
    optional: {
      '-I': oneOf('date', 'hours', 'minutes', 'seconds', 'ns'),
      '--iso-8601': oneOf('date', 'hours', 'minutes', 'seconds', 'ns'),
    },
    // Without the plus, `date` sets the clock.
    operands: each(matching(/^\+[^\n]*$/), 1),
  },
  who: { flags: 'abdHlmpqrstTu --all', operands: either(none, exactly(oneOf('am'), oneOf('i'))) },
  w: { flags: 'hsfoi', operands: each(NAME, 1) },
  users: {},
  // Without `-d`, which looks up names.
  last: { digits: true, flags: 'aFiwxR', values: { '-n': COUNT }, operands: each(NAME, 2) },
  lastlog: { values: { '-u': NAME, '-t': DIGITS } },
  whoami: {},
  id: { flags: 'ugGnr', operands: each(NAME, 1) },
  groups: { operands: each(NAME, 1) },
  getent: { operands: verbs({ passwd: each(NAME), group: each(NAME), services: each(NAME) }) },
  dmesg: {
    flags: 'HTtxkue --human --ctime --kernel --nopager --decode --userspace --reltime --notime',
    values: { '-l': NAMES, '--level': NAMES },
  },
  // Showing all settings at once would include keys.
  sysctl: { flags: 'neN', operands: some(SETTING) },
  swapon: { flags: 's --show --noheadings --bytes --summary', needs: ['-s|--show|--summary'] },
  mount: { values: { '-t': NAMES } },
  findmnt: {
    flags: 'aADJlnrst --df --real --json --noheadings',
    values: { '-t': NAMES, '-o': FIELDS, '--output': FIELDS, '-T': (word) => !word.glob && NAMED(word) },
    operands: each((word) => !word.glob && NAMED(word), 1),
  },
};
