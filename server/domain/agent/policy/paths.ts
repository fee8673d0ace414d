import type { Word } from './words.ts';

/** Files whose content is no secret on any machine. */
const OPEN_FILES: ReadonlySet<string> = new Set([
  '/etc/os-release',
  '/etc/lsb-release',
  '/etc/debian_version',
  '/etc/redhat-release',
  '/etc/hostname',
  '/etc/hosts',
  '/etc/resolv.conf',
  '/etc/nsswitch.conf',
  '/etc/issue',
  '/etc/motd',
  '/etc/timezone',
  '/etc/passwd',
  '/etc/group',
  '/etc/services',
  '/etc/apt/sources.list',
  '/proc/cpuinfo',
  '/proc/meminfo',
  '/proc/loadavg',
  '/proc/uptime',
  '/proc/version',
  '/proc/mounts',
  '/proc/stat',
  '/proc/vmstat',
  '/proc/diskstats',
  '/proc/swaps',
  '/proc/filesystems',
  '/proc/net/dev',
  '/proc/net/tcp',
  '/proc/net/tcp6',
  '/proc/net/udp',
  '/proc/net/sockstat',
  '/proc/sys/fs/file-nr',
]);

const LOGS = '/var/log/';
/** Logs that are known to hold passwords: those of the installation, and failed log-ins with what was typed. */
const CLOSED_LOGS = ['cloud-init', 'installer', 'btmp', 'private', 'audit'];

/**
 * Whether a file, or each that a wildcard stands for, may be shown to the model. What is not known to be free
 * of secrets is not: a key, a password file or a program's configuration must not leave the guest unasked.
 */
export function isReadable({ value, glob }: Word): boolean {
  const path = normalize(value);
  if (path === undefined) return false;
  if (!path.startsWith(LOGS)) return !glob && OPEN_FILES.has(path);
  const first = path.slice(LOGS.length).split('/')[0]!;
  const wildcard = first.search(/[*?]/);
  if (!glob || wildcard < 0) return first !== '' && !CLOSED_LOGS.some((name) => first.startsWith(name));
  const prefix = first.slice(0, wildcard);
  return prefix !== '' && !CLOSED_LOGS.some((name) => name.startsWith(prefix) || prefix.startsWith(name));
}

/** An absolute path without detours; undefined for any other. */
function normalize(path: string): string | undefined {
  if (!path.startsWith('/')) return undefined;
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return parts.includes('..') ? undefined : `/${parts.join('/')}`;
}
