import { processesOf } from '../../system/processes.ts';
import type { Command, Process } from '../process.ts';
import { humanSize } from '../tables.ts';
import { cpuTime } from './processes.ts';
import { uptimeLine } from './system.ts';

const REFRESH_MS = 3000;

function picture(process: Process, rows: number, columns: number): string[] {
  const { system } = process;
  const { total, used, cached } = system.memory();
  const lines = processesOf(system).sort((a, b) => b.cpu - a.cpu || b.rssBytes - a.rssBytes);
  const busy = Math.min(100, (system.load()[0]! / system.guest.vcpu) * 100);
  const head = [
    `top -${uptimeLine(process)}`,
    `Tasks: ${lines.length} total,   1 running, ${lines.length - 1} sleeping,   0 stopped,   0 zombie`,
    `%Cpu(s): ${(busy * 0.7).toFixed(1).padStart(4)} us, ${(busy * 0.3).toFixed(1).padStart(4)} sy,  0.0 ni, ${(100 - busy).toFixed(1).padStart(4)} id`,
    `MiB Mem : ${(total / 1_048_576).toFixed(1)} total, ${((total - used - cached) / 1_048_576).toFixed(1)} free, ${(used / 1_048_576).toFixed(1)} used, ${(cached / 1_048_576).toFixed(1)} buff/cache`,
    '',
    '    PID USER      %CPU  %MEM     RES     TIME+ COMMAND',
  ];
  const body = lines.map((line) =>
    [
      String(line.pid).padStart(7),
      line.user.padEnd(8),
      line.cpu.toFixed(1).padStart(5),
      ((line.rssBytes / total) * 100).toFixed(1).padStart(5),
      humanSize(line.rssBytes).padStart(7),
      cpuTime(line.seconds).padStart(9),
      line.command,
    ].join(' '),
  );
  return [...head, ...body].slice(0, rows).map((line) => line.slice(0, columns));
}

/** Fills the screen until `q` or Ctrl-C; `-b -n 1` prints once. */
async function top(process: Process): Promise<number> {
  const { shell, args } = process;
  const { terminal } = shell;
  if (!terminal || args.some((arg) => /^-\w*b/.test(arg))) {
    await process.print(`${picture(process, 1000, 500).join('\n')}\n`);
    return 0;
  }
  // Switches to the alternate screen without a cursor; the previous content returns at the end.
  await process.print('\x1b[?1049h\x1b[?25l');
  const leaving = new AbortController();
  const ending = AbortSignal.any([process.signal, leaving.signal]);
  try {
    let key = terminal.key(ending);
    while (!process.signal.aborted) {
      await process.system.refresh();
      const lines = picture(process, terminal.rows, terminal.columns);
      await process.print(`\x1b[H${lines.map((line) => `${line}\x1b[K`).join('\n')}\x1b[J`);
      const waiting = new AbortController();
      const tick = process.system.clock.sleep(REFRESH_MS, AbortSignal.any([ending, waiting.signal])).then(
        () => 'tick',
        () => 'tick',
      );
      const pressed = await Promise.race([key, tick]);
      waiting.abort();
      if (pressed === undefined || pressed === 'q') break;
      if (pressed !== 'tick') key = terminal.key(ending);
    }
  } finally {
    leaving.abort();
    await terminal.print('\x1b[?25h\x1b[?1049l');
  }
  return 0;
}

export const TOP: Record<string, Command> = { top, htop: top };
