import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import type { TestContext } from 'node:test';
import { isInstalled } from '../../../scripts/installed.ts';
import { READ_ONLY } from '../../../server/domain/agent/policy/judge.ts';
import { defer } from '../../support/cleanup.ts';

/** A shell and where its programs are. */
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

/** What a command must not do, as it was seen. */
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

/** Why commands cannot be watched here, or false. Where VAUBAN_REQUIRE_STRACE is 1 that is an error. */
export function skipWithoutSandbox(): string | false {
  const missing = PROGRAMS.filter((program) => !isInstalled(program));
  const reason =
    missing.length > 0
      ? `${missing.join(', ')} not installed`
      : spawnSync('unshare', [...SPACES, 'true']).status !== 0 && 'no namespaces can be made';
  if (reason && process.env.VAUBAN_REQUIRE_STRACE === '1') throw new Error(reason);
  return reason;
}

/** Runs commands one after the other in a sandbox of their own, and tells which did what they must not. */
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

/** The breaches of a trace, each with the number of the command that was running. */
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
    // The shell opens what it is to run.
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
/** Secrets of the machine. That they exist, and what a directory of them holds, is none. */
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
/** They read all that the kernel knows of a process, whatever they are to show of it; that none is shown is tested. */
const PROCESS_VIEWERS = new Set(['ps', 'pgrep', 'w', 'uptime']);
/** Where a library or a program asks another on the same machine: for names of users, for services, for logs. */
const OWN_SOCKETS = /^(?:\/var)?\/run\/(?:nscd\/|systemd\/|dbus\/|user\/\d+\/|udev\/|sudo)|^\/dev\/log$|^@/;
/** What may be asked of the kernel by netlink: only to be shown. */
const NETLINK_LOOKS =
  /^(?:RTM_GET\w+|SOCK_DIAG_BY_FAMILY|(?:TCP|DCCP)DIAG_GETSOCK|NLMSG_\w+|NFNL_SUBSYS_NFTABLES<<8\|NFT_MSG_GET\w+|0(?:xa10)? \/\*.*)$/;
const IOCTL_CHANGES = /\bSIOC(?:S|ADD|DEL)|_SET|TIOCSTI|TCSET|BLK(?:ROSET|DISCARD|ZEROOUT)/;
const LOG_LOOKS = /SYSLOG_ACTION_(?:READ_ALL|SIZE_BUFFER|SIZE_UNREAD|OPEN|CLOSE)\b/;

/** What is wrong with a call, or undefined. */
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
  // It opens what it is asked about, so that what is mounted on demand is, and reads nothing.
  if (program === 'df' && call.includes('O_RDONLY|O_NOCTTY|O_NONBLOCK')) return undefined;
  // Where the kernel shows no tables of the firmware it looks for them in memory, to name the hypervisor, and shows no more.
  if (program === 'lscpu' && path === '/dev/mem') return undefined;
  return CLOSED.some((closed) => closed.test(path)) ? 'reads a secret' : undefined;
}

/** Programs that a command may start beside itself: its shell, and what sets it going here. */
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
  // Whether the kernel knows the request, which `ip` asks first: of no link, so it changes none.
  if (/nlmsg_type=RTM_NEWLINK, nlmsg_flags=NLM_F_REQUEST\|NLM_F_ACK,.*ifi_index=0,/.test(call))
    return undefined;
  // What follows the first part of a message is its filter, which is taken for messages.
  const types = [...call.split('], iov_len', 1)[0]!.matchAll(/nlmsg_type=([^,}]+)/g)].map(
    ([, type]) => type!,
  );
  if (types.some((type) => !NETLINK_LOOKS.test(type))) return 'changes the network';
  const socket = /sun_path=@?"([^"]*)"/.exec(call)?.[1];
  return socket === undefined || OWN_SOCKETS.test(socket) ? undefined : 'speaks to another program';
}
