import type { Form, Grammar } from './arguments.ts';
import { allows } from './arguments.ts';
import { each, either, exactly, matching, NAME, NAMED, NAMES, none, oneOf, PIDS, verbs } from './tests.ts';

/** Commands that show the machine's own side of the network. They look up no names and send nothing. */

const SS = {
  flags:
    'tulpnaeimoOs460xHwWS --summary --listening --tcp --udp --processes --numeric --all --no-header --extended --info --memory',
};
const PORT = String.raw`:\d{1,5}`;
const OCTET = '(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)';
const SOCKET = String.raw`(?:[sd]port (?:=|==|eq|!=|neq) ${PORT}|(?:src|dst) ${OCTET}(?:\.${OCTET}){3}(?:${PORT})?)`;
const SOCKETS = `(?:not )?${SOCKET}(?: (?:and|or) (?:not )?${SOCKET})*`;
/** The filters of `ss`: it looks up any unknown word in them as a name. */
const FILTER = new RegExp(
  String.raw`^(?:state (?:all|connected|synchronized|bucket|big|listening|established|syn-sent|syn-recv|fin-wait-1|fin-wait-2|time-wait|closed|close-wait|last-ack|closing))?(?:(?:^| )(?:${SOCKETS}|\( ${SOCKETS} \)))?$`,
);

/** Options, followed by a filter of one or more words. */
const ss: Form = (words) => {
  const end = words.findIndex(({ value }) => !value.startsWith('-'));
  const filter = end < 0 ? [] : words.slice(end);
  const text = filter.map(({ value }) => value.replace(/[()]/g, ' $& ')).join(' ');
  if (filter.some(({ glob }) => glob) || !FILTER.test(text.trim().replace(/ +/g, ' '))) return false;
  const options = end < 0 ? words : words.slice(0, end);
  // The summary contains no names to look up.
  return allows({ ...SS, needs: ['-n|--numeric|-s|--summary'] }, options);
};

const IP_OPTIONS = new Set(['-br', '-brief', '-c', '-color', '-s', '-d', '-4', '-6', '-o', '-j', '-p']);
const IP_OBJECTS = new Set('a addr address l link r route n neigh neighbour neighbor rule maddr'.split(' '));
const IP_FILTER =
  /^(?:show|list|ls)(?: (?:up|dev [a-z0-9][a-zA-Z0-9@._-]*|table (?:main|local|default|all|\d{1,9})|(?!(?:up|to|root|match|exact|dev|table|type|via|src|proto|scope)(?: |$))[a-z][a-zA-Z0-9@._-]*))*$/;

/**
 * `ip -br addr show dev eth0`. Its options are words, and it accepts abbreviated verbs; only full ones are allowed
 * here.
 */
const ip: Form = (words) => {
  const start = words.findIndex(({ value }) => !IP_OPTIONS.has(value));
  const [object, ...rest] = start < 0 ? [] : words.slice(start);
  if (!object || object.glob || !IP_OBJECTS.has(object.value) || rest.some(({ glob }) => glob)) return false;
  return rest.length === 0 || IP_FILTER.test(rest.map(({ value }) => value).join(' '));
};

const SOCKET_OF_LSOF = /^(?:[46])?(?:TCP|UDP|tcp|udp)?(?::\d{1,5}(?:,\d{1,5})*)?$/;

export const NETWORK: Grammar = {
  ss,
  ip,
  netstat: [
    { flags: 'tulpnaerwW --numeric', needs: ['-n|--numeric'] },
    { flags: 'is', needs: ['-i|-s'] },
  ],
  lsof: {
    flags: 'nPlta',
    values: { '-p': PIDS, '-u': NAMES, '-c': NAME },
    optional: { '-i': matching(SOCKET_OF_LSOF), '-s': oneOf('TCP:LISTEN', 'TCP:ESTABLISHED') },
    needs: ['-n', '-P'],
    operands: each(
      (word) =>
        oneOf('+L1')(word) ||
        matching(/^(?:TCP|UDP|tcp|udp)?(?::\d{1,5}(?:,\d{1,5})*)?$/)(word) ||
        (!word.glob && NAMED(word) && word.value !== '.'),
      1,
    ),
  },
  arp: { flags: 'an', needs: ['-n'] },
  route: { flags: 'n', needs: ['-n'] },
  nft: { flags: 'an', operands: exactly(oneOf('list'), oneOf('ruleset', 'tables')) },
  resolvectl: { flags: '--no-pager', operands: either(none, exactly(oneOf('status', 'dns', 'statistics'))) },
  networkctl: { flags: 'a --no-pager', operands: either(none, verbs({ list: none, status: each(NAME) })) },
};
