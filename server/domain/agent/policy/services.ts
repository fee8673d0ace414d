import type { CommandRule, Grammar } from './arguments.ts';
import {
  each,
  either,
  exactly,
  matching,
  NAME,
  NAMES,
  NUMBER,
  none,
  oneOf,
  PACKAGE,
  PATTERN,
  some,
  TEXT,
  TIME,
  UNIT,
  verbs,
} from './tests.ts';

const PROPERTIES = matching(
  /^(?:(?:Id|Names|Description|LoadState|ActiveState|SubState|UnitFileState|MainPID|NRestarts|Result|ExecMainStatus|ExecMainCode|MemoryCurrent|CPUUsageNSec|TasksCurrent|ActiveEnterTimestamp|InactiveEnterTimestamp|StateChangeTimestamp)(?:,|$))+$/,
);
const FORMAT = oneOf(
  'short',
  'short-iso',
  'short-full',
  'short-precise',
  'cat',
  'json',
  'json-pretty',
  'verbose',
  'with-unit',
);
const LINES = matching(/^(?:\d{1,6}|all)$/);
const BOOT = matching(/^(?:-?\d{1,3}|all)$/);

const SYSTEMCTL: CommandRule = {
  flags: 'alqr --no-pager --all --full --quiet --plain --failed --no-legend --value --reverse --show-types',
  values: {
    '-n': NUMBER,
    '--lines': NUMBER,
    '-t': NAMES,
    '--type': NAMES,
    '--state': NAMES,
    '-p': PROPERTIES,
    '--property': PROPERTIES,
    '-o': FORMAT,
    '--output': FORMAT,
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
      // Without a choice of properties it shows the environment, which may contain passwords.
      show: (words, options) =>
        (options.has('-p') || options.has('--property')) && words.length > 0 && words.every(UNIT),
    }),
  ),
};

/** Commands that show services, their logs, and packages. They only query the machine's own sockets. */
export const SERVICES: Grammar = {
  systemctl: SYSTEMCTL,
  'systemd-analyze': {
    flags: '--no-pager',
    operands: either(none, exactly(oneOf('time', 'blame', 'critical-chain'))),
  },
  journalctl: {
    flags:
      'xekrqa --no-pager --no-full --reverse --dmesg --catalog --pager-end --quiet --all --utc --disk-usage --list-boots --no-hostname',
    // `-b -1`
    digits: true,
    values: {
      '-u': UNIT,
      '--unit': UNIT,
      '-p': matching(/^[a-z0-7]+(?:\.\.[a-z0-7]+)?$/),
      '--priority': matching(/^[a-z0-7]+(?:\.\.[a-z0-7]+)?$/),
      '-o': FORMAT,
      '--output': FORMAT,
      '-S': TIME,
      '--since': TIME,
      '-U': TIME,
      '--until': TIME,
      '-g': PATTERN,
      '--grep': PATTERN,
      '-t': NAME,
      '--identifier': NAME,
      '-n': LINES,
      '--lines': LINES,
    },
    optional: { '-b': BOOT, '--boot': BOOT },
  },
  dpkg: {
    flags: 'lsL --list --status --listfiles --audit --print-architecture',
    operands: (words, options) => options.size === 1 && words.every(PACKAGE),
  },
  'dpkg-query': { flags: 'WlsL --show --list', values: { '-f': TEXT }, operands: each(PACKAGE) },
  'apt-mark': { operands: exactly(oneOf('showhold', 'showmanual', 'showauto')) },
};
