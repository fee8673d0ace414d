import { kernelLines } from '../../system/journal.ts';
import type { Command, Process } from '../process.ts';
import { humanSize, table } from '../tables.ts';

const DAY_MS = 86_400_000;

/** Formats a line such as " 15:04:05 up 2 days,  3:04,  1 user,  load average: 0.10, 0.08, 0.05". */
export function uptimeLine({ system }: Process): string {
  const up = system.now() - system.bootedAt;
  const days = Math.floor(up / DAY_MS);
  const minutes = Math.floor((up % DAY_MS) / 60_000);
  const hours = Math.floor(minutes / 60);
  const clock =
    hours > 0 ? `${String(hours).padStart(2)}:${String(minutes % 60).padStart(2, '0')}` : `${minutes} min`;
  const users = system.inside.logins.filter(
    (login) => login.until === null && login.at >= system.bootedAt,
  ).length;
  const time = new Date(system.now()).toISOString().slice(11, 19);
  const span = days > 0 ? `${days} day${days > 1 ? 's' : ''}, ${clock}` : clock;
  const load = system
    .load()
    .map((each) => each.toFixed(2))
    .join(', ');
  return ` ${time} up ${span},  ${users} user${users === 1 ? '' : 's'},  load average: ${load}`;
}

async function uptime(process: Process): Promise<number> {
  const { letters } = process.options();
  if (letters.has('s'))
    await process.print(
      `${new Date(process.system.bootedAt).toISOString().slice(0, 19).replace('T', ' ')}\n`,
    );
  else if (letters.has('p'))
    await process.print(
      `up ${Math.floor((process.system.now() - process.system.bootedAt) / 60_000)} minutes\n`,
    );
  else await process.print(`${uptimeLine(process)}\n`);
  return 0;
}

async function free(process: Process): Promise<number> {
  const { letters } = process.options();
  const { total, used, cached } = process.system.memory();
  const divisor = letters.has('b')
    ? 1
    : letters.has('m')
      ? 1_048_576
      : letters.has('g')
        ? 1_073_741_824
        : 1024;
  const show = (bytes: number) =>
    letters.has('h')
      ? `${humanSize(bytes)}${bytes >= 1024 ? 'i' : 'B'}`
      : String(Math.floor(bytes / divisor));
  await process.print(
    table(
      [
        ['', 'total', 'used', 'free', 'shared', 'buff/cache', 'available'].map((title) => title.padStart(11)),
        ['Mem:', ...[total, used, total - used - cached, 1_048_576, cached, total - used].map(show)],
        ['Swap:', ...[0, 0, 0].map(show)],
      ].map((row) => row.map((cell, at) => (at === 0 ? cell.trim().padEnd(6) : cell))),
      [1, 2, 3, 4, 5, 6],
    ),
  );
  return 0;
}

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

async function date(process: Process): Promise<number> {
  const now = new Date(process.system.now());
  const iso = now.toISOString();
  const format = process.args.find((arg) => arg.startsWith('+'));
  const parts: Record<string, string> = {
    Y: iso.slice(0, 4),
    m: iso.slice(5, 7),
    d: iso.slice(8, 10),
    H: iso.slice(11, 13),
    M: iso.slice(14, 16),
    S: iso.slice(17, 19),
    F: iso.slice(0, 10),
    T: iso.slice(11, 19),
    s: String(Math.floor(now.getTime() / 1000)),
    Z: 'UTC',
    z: '+0000',
    '%': '%',
  };
  const plain = `${DAYS[now.getUTCDay()]} ${MONTHS[now.getUTCMonth()]} ${String(now.getUTCDate()).padStart(2)} ${parts.T} UTC ${parts.Y}`;
  const text = format?.slice(1).replace(/%(.)/g, (whole, letter: string) => parts[letter] ?? whole);
  await process.print(`${text ?? plain}\n`);
  return 0;
}

async function uname(process: Process): Promise<number> {
  const { letters } = process.options();
  const { guest, distribution } = process.system;
  const parts: [string, string][] = [
    ['s', 'Linux'],
    ['n', guest.hostname],
    ['r', distribution.kernel],
    ['v', '#1 SMP PREEMPT_DYNAMIC'],
    ['m', 'x86_64'],
    ['o', 'GNU/Linux'],
  ];
  const shown = parts.filter(
    ([letter]) => letters.has('a') || letters.has(letter) || (letters.size === 0 && letter === 's'),
  );
  await process.print(`${shown.map(([, text]) => text).join(' ')}\n`);
  return 0;
}

async function dmesg(process: Process): Promise<number> {
  const lines = kernelLines(process.system).map(
    ({ seconds, text }) => `[${seconds.toFixed(6).padStart(12)}] ${text}\n`,
  );
  await process.print(lines.join(''));
  return 0;
}

async function stty(process: Process): Promise<number> {
  const { terminal } = process.shell;
  if (!terminal) return process.fail("'standard input': Inappropriate ioctl for device");
  if (process.args[0] === 'size') await process.print(`${terminal.rows} ${terminal.columns}\n`);
  else
    await process.print(`speed 38400 baud; rows ${terminal.rows}; columns ${terminal.columns}; line = 0;\n`);
  return 0;
}

async function hostname(process: Process): Promise<number> {
  const { letters } = process.options();
  const { guest } = process.system;
  const shown = letters.has('I') ? guest.addresses.map(({ address }) => address).join(' ') : guest.hostname;
  await process.print(`${shown}\n`);
  return 0;
}

export const SYSTEM: Record<string, Command> = {
  uptime,
  free,
  date,
  uname,
  dmesg,
  stty,
  hostname,
  nproc: (process) => process.print(`${process.system.guest.vcpu}\n`).then(() => 0),
  arch: (process) => process.print('x86_64\n').then(() => 0),
  clear: (process) => process.print('\x1b[2J\x1b[H').then(() => 0),
  reset: (process) => process.print('\x1bc').then(() => 0),
  tty: async (process) => {
    await process.print(process.shell.tty ? `/dev/${process.shell.tty}\n` : 'not a tty\n');
    return process.shell.tty ? 0 : 1;
  },
  sync: () => 0,
};
