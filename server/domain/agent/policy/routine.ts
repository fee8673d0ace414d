import type { CommandRule } from './arguments.ts';
import { exactly, IP_ADDRESS, NAME, NUMBER, none, oneOf, ROUTINE_SERVICE, some, verbs } from './tests.ts';

const RESTARTS = verbs({
  start: some(ROUTINE_SERVICE, 5),
  restart: some(ROUTINE_SERVICE, 5),
  'try-restart': some(ROUTINE_SERVICE, 5),
  reload: some(ROUTINE_SERVICE, 5),
  'reload-or-restart': some(ROUTINE_SERVICE, 5),
  'reset-failed': some(ROUTINE_SERVICE, 5),
  'daemon-reload': none,
});

/** Commands of everyday care: they change something, which does no lasting harm and is put right by doing it again. */
export const ROUTINE: Record<string, CommandRule | CommandRule[]> = {
  systemctl: { flags: 'q --no-pager --no-block --quiet', operands: RESTARTS },
  service: { operands: exactly(ROUTINE_SERVICE, oneOf('restart', 'reload', 'force-reload')) },
  // Lists of packages and downloaded archives; nothing is installed.
  'apt-get': { flags: 'qy --quiet', operands: exactly(oneOf('update', 'clean', 'autoclean')) },
  apt: { flags: 'qy --quiet', operands: exactly(oneOf('update', 'clean', 'autoclean')) },
  dnf: { flags: 'q --quiet', operands: exactly(oneOf('check-update', 'makecache')) },
  yum: { flags: 'q --quiet', operands: exactly(oneOf('check-update', 'makecache')) },
  nginx: { flags: 'tq', operands: (words, options) => options.has('-t') && words.length === 0 },
  apachectl: { operands: exactly(oneOf('configtest')) },
  apache2ctl: { operands: exactly(oneOf('configtest')) },
  docker: { operands: verbs({ restart: some(NAME, 5), start: some(NAME, 5) }) },
  timedatectl: { operands: exactly(oneOf('set-ntp'), oneOf('true')) },
  sync: {},
  ping: {
    flags: 'n46q',
    values: { '-c': ({ value }) => /^[1-9]$/.test(value), '-W': NUMBER, '-w': NUMBER },
    operands: (words, options) => options.has('-c') && exactly(IP_ADDRESS)(words, options),
  },
};
