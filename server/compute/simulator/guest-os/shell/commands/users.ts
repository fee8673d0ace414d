import { stamp } from '../../system/journal.ts';
import type { Login } from '../../system/state.ts';
import type { Command, Process } from '../process.ts';
import { table } from '../tables.ts';
import { uptimeLine } from './system.ts';

function present({ system }: Process): Login[] {
  return system.inside.logins.filter((login) => login.until === null && login.at >= system.bootedAt);
}

const since = (at: number) => new Date(at).toISOString().slice(0, 16).replace('T', ' ');

async function who(process: Process): Promise<number> {
  await process.print(
    table(
      present(process).map(({ user, tty, at, from }) => [
        user.padEnd(8),
        tty.padEnd(12),
        since(at),
        `(${from})`,
      ]),
    ),
  );
  return 0;
}

async function w(process: Process): Promise<number> {
  const rows = present(process).map(({ user, tty, at, from }) => [
    user.padEnd(8),
    tty.padEnd(8),
    from.padEnd(16),
    since(at).slice(11),
    '-bash',
  ]);
  const head = ['USER'.padEnd(8), 'TTY'.padEnd(8), 'FROM'.padEnd(16), 'LOGIN@', 'WHAT'];
  await process.print(`${uptimeLine(process)}\n${table([head, ...rows])}`);
  return 0;
}

async function last(process: Process): Promise<number> {
  const { system } = process;
  const rows = system.inside.logins.toReversed().map(({ user, tty, from, at, until }) => {
    const end =
      until === null
        ? at >= system.bootedAt
          ? 'still logged in'
          : '- down'
        : `- ${new Date(until).toISOString().slice(11, 16)}`;
    return [user.padEnd(8), tty.padEnd(12), from.padEnd(16), stamp(at), end];
  });
  rows.push([
    'reboot'.padEnd(8),
    'system boot'.padEnd(12),
    system.distribution.kernel.slice(0, 16),
    stamp(system.bootedAt),
    'still running',
  ]);
  await process.print(table(rows));
  return 0;
}

function idText(user: string): string {
  return user === 'root'
    ? 'uid=0(root) gid=0(root) groups=0(root)'
    : `uid=1000(${user}) gid=1000(${user}) groups=1000(${user}),27(sudo)`;
}

export const USERS: Record<string, Command> = {
  who,
  w,
  last,
  users: (process) =>
    process
      .print(
        `${present(process)
          .map(({ user }) => user)
          .join(' ')}\n`,
      )
      .then(() => 0),
  whoami: (process) => process.print(`${process.shell.user}\n`).then(() => 0),
  id: async (process) => {
    const { letters, words } = process.options();
    const user = words[0] ?? process.shell.user;
    if (user !== 'root' && user !== process.system.distribution.user)
      return process.fail(`'${user}': no such user`);
    const number = user === 'root' ? '0' : '1000';
    await process.print(`${letters.has('u') ? (letters.has('n') ? user : number) : idText(user)}\n`);
    return 0;
  },
  groups: (process) =>
    process.print(process.shell.user === 'root' ? 'root\n' : `${process.shell.user} sudo\n`).then(() => 0),
};
