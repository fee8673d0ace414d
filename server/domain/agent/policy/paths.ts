import type { Word } from './words.ts';

/** Files that contain no secrets on any machine. */
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
/** Kernel settings that are single values, none of which is a key. */
const OPEN_SETTING = /^\/proc\/sys\/(?:vm|fs|kernel)\/[a-z_]+$/;

const LOGS = '/var/log/';
/** Logs known to contain passwords: those of the installer, of failed logins, and recorded sessions. */
const CLOSED_LOGS = ['anaconda', 'audit', 'btmp', 'cloud-init', 'installer', 'private', 'sudo-io'];

/** Directories where merely looking may contact another machine: their entries are host names. */
const REMOTE_ROOTS = new Set(['afs', 'misc', 'net']);
/**
 * The allowed paths below /proc. For a process, only entries directly in its directory: `root`, `cwd` and `fd` lead to
 * any path on the machine under another name.
 */
const PROC =
  /^\/proc(?:\/(?:\d+|self)(?:\/[a-z_]+)?|\/(?!self(?:\/|$)|thread-self(?:\/|$))[a-z][\w-]*(?:\/.*)?)?$/;

/** A path component without special characters, and one with wildcards, which never match a hidden file or "..". */
const PLAIN_PART = /^[\w.,:=@%+ -]+$/;
const WILD_PART = /^(?!\.)[\w.,:=@%+ *?-]+$/;

/**
 * Returns whether a file, or every file that a wildcard matches, may be shown to the model. Only files known to be free
 * of secrets may: a key, a password file or a program's configuration must not leave the guest without approval.
 */
export function isReadable(word: Word): boolean {
  if (isLog(word)) return true;
  const path = plainPath(word);
  return path !== undefined && !word.glob && (OPEN_FILES.has(path) || OPEN_SETTING.test(path));
}

/** Returns whether a file, or every file that a wildcard matches, is a log that may be shown. */
function isLog(word: Word): boolean {
  const path = plainPath(word);
  if (!path?.startsWith(LOGS)) return false;
  const first = path.slice(LOGS.length).split('/')[0]!;
  const wildcard = word.glob ? first.search(/[*?]/) : -1;
  if (wildcard < 0) return !CLOSED_LOGS.some((name) => first.startsWith(name));
  const prefix = first.slice(0, wildcard);
  return prefix !== '' && !CLOSED_LOGS.some((name) => name.startsWith(prefix) || prefix.startsWith(name));
}

/** Returns whether a file's existence, name and attributes may be shown, and the entries of a directory. */
export function isNameable(word: Word): boolean {
  if (word.value === '.') return true;
  const path = plainPath(word);
  if (path === undefined) return false;
  const [, root = '', next] = path.split('/');
  if (word.glob && (next === undefined || root === 'proc')) return false;
  return !REMOTE_ROOTS.has(root) && (root !== 'proc' || PROC.test(path));
}

/** An absolute path without detours, with wildcards only in its last component; undefined for any other path. */
function plainPath({ value, glob }: Word): string | undefined {
  if (!value.startsWith('/')) return undefined;
  const written = value.slice(1).split('/');
  const parts = written.filter((part) => part !== '' && part !== '.');
  const last = glob ? parts.pop() : undefined;
  // Anything after a wildcard, even a single slash, is another component.
  if (glob && (last === undefined || last !== written.at(-1) || !WILD_PART.test(last))) return undefined;
  if (parts.some((part) => part === '..' || !PLAIN_PART.test(part))) return undefined;
  return `/${[...parts, ...(last === undefined ? [] : [last])].join('/')}`;
}
