import type { Word } from './words.ts';

/** Files whose content is no secret on any machine. */
const OPEN_FILES: ReadonlySet<string> = new Set([
  ...'alpine-release debian_version group hostname hosts issue lsb-release motd nsswitch.conf os-release passwd redhat-release resolv.conf services timezone'
    .split(' ')
    .map((name) => `/etc/${name}`),
  ...'cpuinfo devices diskstats filesystems interrupts loadavg mdstat meminfo modules mounts partitions stat swaps uptime version vmstat zoneinfo'
    .split(' ')
    .map((name) => `/proc/${name}`),
  ...'arp dev netstat route snmp sockstat sockstat6 softnet_stat tcp tcp6 udp udp6 unix'
    .split(' ')
    .map((name) => `/proc/net/${name}`),
  '/proc/pressure/cpu',
  '/proc/pressure/io',
  '/proc/pressure/memory',
  '/proc/sys/fs/file-nr',
]);
/** Settings of the kernel that are single values and none of them a key. */
const OPEN_SETTING = /^\/proc\/sys\/(?:vm|fs|kernel)\/[a-z_]+$/;

const LOGS = '/var/log/';
/** Logs that are known to hold passwords: those of the installation, of failed log-ins, and recorded sessions. */
const CLOSED_LOGS = ['anaconda', 'audit', 'btmp', 'cloud-init', 'installer', 'private', 'sudo-io'];

/** Where merely looking may reach another machine: the name of a directory there is the name of a host. */
const REMOTE_ROOTS = new Set(['afs', 'misc', 'net']);
/**
 * Of a process only what lies directly in its directory: what is below `root`, `cwd` and `fd` is any place on
 * the machine, by another name.
 */
const PROC =
  /^\/proc(?:\/(?:\d+|self)(?:\/[a-z_]+)?|\/(?!self(?:\/|$)|thread-self(?:\/|$))[a-z][\w-]*(?:\/.*)?)?$/;

/** A part of a path in which nothing is special, and one with wildcards, which never stand for a hidden file or "..". */
const PLAIN_PART = /^[\w.,:=@%+ -]+$/;
const WILD_PART = /^(?!\.)[\w.,:=@%+ *?-]+$/;

/**
 * Whether a file, or each that a wildcard stands for, may be shown to the model. What is not known to be free
 * of secrets is not: a key, a password file or a program's configuration must not leave the guest unasked.
 */
export function isReadable(word: Word): boolean {
  if (isLog(word)) return true;
  const path = plainPath(word);
  return path !== undefined && !word.glob && (OPEN_FILES.has(path) || OPEN_SETTING.test(path));
}

/** Whether a file, or each that a wildcard stands for, is a log that may be shown. */
function isLog(word: Word): boolean {
  const path = plainPath(word);
  if (!path?.startsWith(LOGS)) return false;
  const first = path.slice(LOGS.length).split('/')[0]!;
  const wildcard = word.glob ? first.search(/[*?]/) : -1;
  if (wildcard < 0) return !CLOSED_LOGS.some((name) => first.startsWith(name));
  const prefix = first.slice(0, wildcard);
  return prefix !== '' && !CLOSED_LOGS.some((name) => name.startsWith(prefix) || prefix.startsWith(name));
}

/** Whether that a file exists, its name and its attributes may be shown, and, of a directory, what is in it. */
export function isNameable(word: Word): boolean {
  if (word.value === '.') return true;
  const path = plainPath(word);
  if (path === undefined) return false;
  const [, root = '', next] = path.split('/');
  if (word.glob && (next === undefined || root === 'proc')) return false;
  return !REMOTE_ROOTS.has(root) && (root !== 'proc' || PROC.test(path));
}

/** An absolute path without detours, wildcards at most in its last part; undefined for any other. */
function plainPath({ value, glob }: Word): string | undefined {
  if (!value.startsWith('/')) return undefined;
  const written = value.slice(1).split('/');
  const parts = written.filter((part) => part !== '' && part !== '.');
  const last = glob ? parts.pop() : undefined;
  // What follows a wildcard, were it only a slash, is another part.
  if (glob && (last === undefined || last !== written.at(-1) || !WILD_PART.test(last))) return undefined;
  if (parts.some((part) => part === '..' || !PLAIN_PART.test(part))) return undefined;
  return `/${[...parts, ...(last === undefined ? [] : [last])].join('/')}`;
}
