import { type ProcessLine, processesOf } from '../../system/processes.ts';
import { setUnit, stateOf, unitsOf } from '../../system/units.ts';
import type { Command, Process } from '../process.ts';
import { table } from '../tables.ts';

/** Longer flags serve no real purpose, and matching them may take quadratic time. */
const MAX_FLAGS = 200;

/** Formats CPU time as `ps` does, in minutes and seconds. */
export function cpuTime(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
}

function own(process: Process): ProcessLine {
  const { shell, system, name, args } = process;
  return {
    pid: 4242,
    user: shell.user,
    tty: shell.tty ?? '?',
    cpu: 0,
    rssBytes: 4_194_304,
    seconds: 0,
    startedAt: system.now(),
    command: [name, ...args].join(' '),
  };
}

async function ps(process: Process): Promise<number> {
  const flags = process.args.join(' ').slice(0, MAX_FLAGS);
  const { shell, system } = process;
  const everything = /a.*x|-e|-A/.test(flags);
  const all = [...processesOf(system), own(process)];
  const lines = everything ? all : all.filter((line) => line.tty === shell.tty && line.user === shell.user);
  const total = system.memory().total;
  const memoryShare = (line: ProcessLine) => ((line.rssBytes / total) * 100).toFixed(1);
  const key = /--sort=?\s*-?(%?mem|rss|%?cpu)/.exec(flags)?.[1];
  if (key?.includes('cpu')) lines.sort((a, b) => b.cpu - a.cpu);
  else if (key) lines.sort((a, b) => b.rssBytes - a.rssBytes);
  const started = (line: ProcessLine) => new Date(line.startedAt).toISOString().slice(11, 16);
  if (/u|-f|f\b/.test(flags.replace(/--\S+/g, ''))) {
    const rows = lines.map((line) => [
      line.user,
      String(line.pid),
      line.cpu.toFixed(1),
      memoryShare(line),
      String(Math.floor(line.rssBytes / 1024)),
      line.tty,
      started(line),
      cpuTime(line.seconds),
      line.command,
    ]);
    const head = ['USER', 'PID', '%CPU', '%MEM', 'RSS', 'TTY', 'START', 'TIME', 'COMMAND'];
    await process.print(table([head, ...rows], [1, 2, 3, 4, 7]));
    return 0;
  }
  const rows = lines.map((line) => [
    String(line.pid),
    line.tty,
    cpuTime(line.seconds),
    line.command.split(' ')[0]!,
  ]);
  await process.print(table([['PID', 'TTY', 'TIME', 'CMD'], ...rows], [0, 2]));
  return 0;
}

async function pgrep(process: Process): Promise<number> {
  const [name = ''] = process.options().words;
  const found = processesOf(process.system).filter((line) => line.command.includes(name));
  const long = process.options().letters.has('a');
  for (const line of found) await process.print(`${line.pid}${long ? ` ${line.command}` : ''}\n`);
  return Number(found.length === 0);
}

async function end(process: Process, lines: ProcessLine[], signal: string): Promise<number> {
  const { system, shell } = process;
  let code = 0;
  for (const line of lines) {
    const unit = unitsOf(system).find((one) => stateOf(system, one).pid === line.pid);
    if (shell.user !== 'root' && line.user !== shell.user) {
      code = await process.fail(`(${line.pid}) - Operation not permitted`);
    } else if (unit) {
      const killed = signal === '9' || signal === 'KILL';
      const text = killed
        ? `${unit.name}.service: Main process exited, code=killed, status=9/KILL`
        : `${unit.name}.service: Deactivated successfully.`;
      await setUnit(system, unit, killed ? 'failed' : 'inactive', text);
    }
  }
  return code;
}

async function kill(process: Process): Promise<number> {
  const args = [...process.args];
  const signal = args[0]?.startsWith('-') ? args.shift()!.replace(/^-(SIG)?/, '') : 'TERM';
  const all = processesOf(process.system);
  let code = 0;
  for (const pid of args) {
    const line = all.find((one) => one.pid === Number(pid));
    if (!line) code = await process.fail(`(${pid}) - No such process`);
    else if (signal !== '0') code = (await end(process, [line], signal)) || code;
  }
  return code;
}

async function pkill(process: Process): Promise<number> {
  const { words, letters } = process.options();
  const found = processesOf(process.system).filter(({ command }) => words[0] && command.includes(words[0]));
  if (found.length === 0) return 1;
  return end(process, found, letters.has('9') ? '9' : 'TERM');
}

export const PROCESSES: Record<string, Command> = { ps, pgrep, kill, pkill, killall: pkill };
