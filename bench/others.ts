import { readdirSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';

/** Interval of the checks; processes that live for less are missed. */
const LOOK_MS = 2_000;
/** The busiest processes are named, up to this many. */
const NAMED = 3;
/** The kernel counts CPU time in hundredths of a second. */
const TICK_MS = 10;
/** Processes below this share of one core are not mentioned. */
const WORTH_NAMING = 0.02;

interface Process {
  name: string;
  parent: number;
  ticks: number;
}

/** Other processes on the machine during a measurement: everything but this process and its descendants. */
export class Others {
  readonly #startedAt = performance.now();
  readonly #before = loadavg()[0]!;
  /** Ticks of each process at the first and the latest check. */
  readonly #seen = new Map<number, { name: string; first: number; last: number }>();
  readonly #timer: NodeJS.Timeout;

  constructor() {
    this.#look();
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  end(): string {
    clearInterval(this.#timer);
    this.#look();
    const elapsed = performance.now() - this.#startedAt;
    const shares = new Map<string, number>();
    for (const { name, first, last } of this.#seen.values())
      shares.set(name, (shares.get(name) ?? 0) + ((last - first) * TICK_MS) / elapsed);
    const busy = [...shares].filter(([, share]) => share >= WORTH_NAMING).sort(([, a], [, b]) => b - a);
    const named = busy.slice(0, NAMED).map(([name, share]) => `${name} ${share.toFixed(2)} cores`);
    const load = `load ${this.#before.toFixed(1)} before, ${loadavg()[0]!.toFixed(1)} after`;
    return `${load}; beside it ran ${named.join(', ') || 'nothing that took time'}`;
  }

  #look(): void {
    const processes = readProcesses();
    for (const [pid, { name, ticks }] of processes) {
      if (isOurs(pid, processes)) continue;
      const seen = this.#seen.get(pid);
      if (seen) seen.last = ticks;
      else this.#seen.set(pid, { name, first: ticks, last: ticks });
    }
  }
}

function isOurs(pid: number, processes: Map<number, Process>): boolean {
  for (let at: number | undefined = pid; at !== undefined; at = processes.get(at)?.parent)
    if (at === process.pid) return true;
  return false;
}

function readProcesses(): Map<number, Process> {
  const processes = new Map<number, Process>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const [, name, rest] = /\((.*)\) . (.*)/s.exec(readFileSync(`/proc/${entry}/stat`, 'utf8'))!;
      const fields = rest!.split(' ');
      processes.set(Number(entry), {
        name: name!,
        parent: Number(fields[0]),
        ticks: Number(fields[10]) + Number(fields[11]),
      });
    } catch {
      // It has ended in the meantime.
    }
  }
  return processes;
}
