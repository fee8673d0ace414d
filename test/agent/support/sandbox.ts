import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import type { TestContext } from 'node:test';
import { isInstalled } from '../../../scripts/installed.ts';
import { READ_ONLY } from '../../../server/domain/agent/policy/judge.ts';
import { defer } from '../../support/cleanup.ts';

export interface Kit {
  name: string;
  shell: string;
  path: string;
}

const GNU = '/usr/sbin:/usr/bin:/sbin:/bin';
export const KITS = {
  dash: { name: 'dash with GNU programs', shell: 'dash', path: GNU },
  bash: { name: 'bash with GNU programs', shell: 'bash', path: GNU },
  ash: { name: 'ash with BusyBox programs', shell: '/bb/ash', path: '/bb' },
} satisfies Record<string, Kit>;

/** A forbidden action of a command, as it was observed. */
export interface Breach {
  command: string;
  kit: string;
  what: string;
}

const SPACES = [
  ...(process.getuid?.() === 0 ? [] : ['--map-root-user']),
  ...'--mount --net --pid --uts --ipc --mount-proc --fork --kill-child --propagation private'.split(' '),
];
const PROGRAMS = ['strace', 'busybox', 'bash', 'dash', 'unshare', 'setpriv', 'timeout'];

/** Returns why commands cannot be watched here, or false. Throws instead if VAUBAN_REQUIRE_STRACE is 1. */
export function skipWithoutSandbox(): string | false {
  const missing = PROGRAMS.filter((program) => !isInstalled(program));
  const reason =
    missing.length > 0
      ? `${missing.join(', ')} not installed`
      : spawnSync('unshare', [...SPACES, 'true']).status !== 0 && 'no namespaces can be made';
  if (reason && process.env.VAUBAN_REQUIRE_STRACE === '1') throw new Error(reason);
  return reason;
}

/** Runs commands one after the other in a sandbox and returns their breaches. */
export async function watch(t: TestContext, kit: Kit, commands: readonly string[]): Promise<Breach[]> {
  const directory = mkdtempSync(join(tmpdir(), 'vauban-sandbox-'));
  defer(t, () => rmSync(directory, { recursive: true, force: true }));
  const [root, cases, trace] = ['root', 'cases', 'trace'].map((name) => join(directory, name));
  mkdirSync(root!);
  mkdirSync(cases!);
  for (const [index, command] of commands.entries())
    writeFileSync(join(cases!, String(index).padStart(5, '0')), `${command}\n`);
  const secret = `secret-${randomUUID()}`;
  const output = await new Promise<string>((resolve, reject) => {
    const script = join(import.meta.dirname, 'sandbox.sh');
    const child = execFile(
      'unshare',
      [...SPACES, 'sh', script, root!, cases!, trace!, kit.path, kit.shell],
      { maxBuffer: 1 << 30, env: { ...process.env, SECRET: secret } },
      (error, stdout, stderr) =>
        stdout.includes('\x1e') ? resolve(stdout) : reject(error ?? new Error(stderr)),
    );
    defer(t, () => void child.kill('SIGKILL'));
  });
  const shown = output
    .split('\x1e')
    .filter((part) => part.includes(secret))
    .map((part) => ({ index: Number.parseInt(part, 10), what: 'shows a secret' }));
  return [...shown, ...readTrace(readFileSync(trace!, 'latin1'), root!)].map(({ index, what }) => ({
    command: commands[index]!,
    kit: kit.name,
    what,
  }));
}

/** Returns the breaches in a trace, each with the index of the command that was running. */
function readTrace(trace: string, root: string): { index: number; what: string }[] {
  const breaches: { index: number; what: string }[] = [];
  const unfinished = new Map<string, string>();
  const programs = new Map<string, string>();
  let index = -1;
  for (const line of trace.split('\n')) {
    const [, pid = '', text = ''] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    const begun = /^(.*) <unfinished \.\.\.>$/.exec(text)?.[1];
    if (begun !== undefined) unfinished.set(pid, begun);
    const rest = /^<\.\.\. \w+ resumed>(.*)$/.exec(text)?.[1];
    const call = (rest === undefined ? text : (unfinished.get(pid) ?? '') + rest).replaceAll(root, '');
    const program = /^execve\("[^"]*", \["(?:[^"]*\/)?([^"/]+)".* = 0$/.exec(call)?.[1];
    if (program) programs.set(pid, program);
    // The shell opens the file that it is going to run.
    const marker = /^openat?\([^"]*"\/cases\/(\d+)"/.exec(call)?.[1];
    if (marker) index = Number(marker);
    if (begun !== undefined || marker || index < 0) continue;
    const what = program ? starts(program) : breachOf(call, programs.get(pid) ?? '');
    if (what) breaches.push({ index, what: `${what}: ${call.slice(0, 300)}` });
  }
  return breaches;
}

const WRITES = /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND/;
const NEITHER_FILE = /^\/dev\/(?:null|tty)$/;
/** Secrets of the machine. Their existence is not secret, nor are the names in a directory of secrets. */
const CLOSED = [
  /^\/etc\/(?:g?shadow|sudoers|fstab)\b/,
  /^\/etc\/(?:ssh|ssl\/private|mysql)\//,
  /^\/(?:root|home\/debian)\/\.(?:ssh|bash_history)/,
  /^\/var\/www\//,
  /^\/var\/spool\//,
  /^\/var\/log\/(?:cloud-init|btmp|installer|audit)/,
  /^\/proc\/(?:\d+|self|thread-self)(?:\/task\/\d+)?\/(?:environ|mem|auxv|fd\/)/,
  /^\/proc\/(?:kcore|kmem)/,
  /^\/dev\/(?!null|tty|zero|full|u?random|kmsg)/,
];
const ENVIRONMENT = /^\/proc\/\d+\/environ$/;
/**
 * These programs read everything that the kernel knows about a process, whatever they print. Another test checks that
 * they print no secrets.
 */
const PROCESS_VIEWERS = new Set(['ps', 'pgrep', 'w', 'uptime']);
/** Local sockets that libraries and programs use to look up users and services, and for logging. */
const OWN_SOCKETS = /^(?:\/var)?\/run\/(?:nscd\/|systemd\/|dbus\/|user\/\d+\/|udev\/|sudo)|^\/dev\/log$|^@/;
/** Netlink requests that only read. */
const NETLINK_LOOKS =
  /^(?:RTM_GET\w+|SOCK_DIAG_BY_FAMILY|(?:TCP|DCCP)DIAG_GETSOCK|NLMSG_\w+|NFNL_SUBSYS_NFTABLES<<8\|NFT_MSG_GET\w+|0(?:xa10)? \/\*.*)$/;
const IOCTL_CHANGES = /\bSIOC(?:S|ADD|DEL)|_SET|TIOCSTI|TCSET|BLK(?:ROSET|DISCARD|ZEROOUT)/;
const LOG_LOOKS = /SYSLOG_ACTION_(?:READ_ALL|SIZE_BUFFER|SIZE_UNREAD|OPEN|CLOSE)\b/;

/** Returns the breach that a call commits, or undefined. */
function breachOf(call: string, program: string): string | undefined {
  const name = /^(\w+)\(/.exec(call)?.[1];
  switch (name) {
    case undefined:
    case 'bind':
      return undefined;
    case 'open':
    case 'openat':
    case 'openat2':
    case 'creat':
      return opens(call, name, program);
    case 'execve':
      return undefined;
    case 'connect':
    case 'sendto':
    case 'sendmsg':
    case 'sendmmsg':
      return speaks(call);
    case 'ioctl':
      return IOCTL_CHANGES.test(call) ? 'changes a device' : undefined;
    case 'syslog':
      return LOG_LOOKS.test(call) ? undefined : 'changes the kernel log';
    default:
      return 'changes something';
  }
}

function opens(call: string, name: string, program: string): string | undefined {
  const [, base = '', written = ''] = /^\w+\((?:[^"<]*<([^>]*)>)?[^"]*"((?:[^"\\]|\\.)*)"/.exec(call) ?? [];
  const opened = /= \d+<([^>]*)>$/.exec(call)?.[1];
  const path = opened ?? posix.resolve('/', base, written);
  if ((name === 'creat' || WRITES.test(call)) && !NEITHER_FILE.test(path)) return 'opens for writing';
  if (/O_DIRECTORY|O_PATH/.test(call)) return undefined;
  if (PROCESS_VIEWERS.has(program) && ENVIRONMENT.test(path)) return undefined;
  // `df` opens the paths it reports on, which triggers automounts, but reads nothing.
  if (program === 'df' && call.includes('O_RDONLY|O_NOCTTY|O_NONBLOCK')) return undefined;
  // If the kernel exposes no firmware tables, `lscpu` looks for them in memory to identify the hypervisor, and prints
  // nothing else.
  if (program === 'lscpu' && path === '/dev/mem') return undefined;
  return CLOSED.some((closed) => closed.test(path)) ? 'reads a secret' : undefined;
}

/** Programs that a command may start: its shell, and the wrappers that run it here. */
const STARTED = new Set([
  ...Object.keys(READ_ONLY),
  ...'sh dash bash ash busybox env nice ionice timeout'.split(' '),
]);

const starts = (program: string) => (STARTED.has(program) ? undefined : `starts ${program}`);

function speaks(call: string): string | undefined {
  if (/sa_family=AF_INET6?\b/.test(call))
    return /inet_addr\("127\.|inet_pton\(AF_INET6, "::1"/.test(call)
      ? undefined
      : 'speaks to another machine';
  // `ip` first asks whether the kernel supports the request. It names no link, so it changes none.
  if (/nlmsg_type=RTM_NEWLINK, nlmsg_flags=NLM_F_REQUEST\|NLM_F_ACK,.*ifi_index=0,/.test(call))
    return undefined;
  // Everything after the first part of a message is its filter, which strace prints like messages.
  const types = [...call.split('], iov_len', 1)[0]!.matchAll(/nlmsg_type=([^,}]+)/g)].map(
    ([, type]) => type!,
  );
  if (types.some((type) => !NETLINK_LOOKS.test(type))) return 'changes the network';
  const socket = /sun_path=@?"([^"]*)"/.exec(call)?.[1];
  return socket === undefined || OWN_SOCKETS.test(socket) ? undefined : 'speaks to another program';
}
