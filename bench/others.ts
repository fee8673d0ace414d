import { readdirSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';

/** How often it is looked: what lives for less is not seen. */
const LOOK_MS = 2_000;
/** Busier ones are named, as long as there are no more of them than this. */
const NAMED = 3;
/** A hundredth of a second is what the kernel counts in. */
const TICK_MS = 10;
/** A share of one core below which a process is not worth a word. */
const WORTH_NAMING = 0.02;

interface Process {
  name: string;
  parent: number;
  ticks: number;
}

/** What else runs on the machine while something is measured: everything but this process and its descendants. */
export class Others {
  readonly #startedAt = performance.now();
  readonly #before = loadavg()[0]!;
  /** Ticks of processes at the first look at each, and at the latest. */
  readonly #seen = new Map<number, { name: string; first: number; last: number }>();
  readonly #timer: NodeJS.Timeout;

  constructor() {
    this.#look();
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  /** Ends the watch; a line that says what it saw. */
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
      // It has ended meanwhile.
    }
  }
  return processes;
}
