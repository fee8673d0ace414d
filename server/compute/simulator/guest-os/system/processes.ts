import { sampleAt } from '../model/guest.ts';
import type { System } from './system.ts';
import { HOG_UNIT } from './trouble.ts';
import { stateOf, unitsOf } from './units.ts';

/** One line of `ps`. */
export interface ProcessLine {
  pid: number;
  user: string;
  tty: string;
  /** Percent of one CPU. */
  cpu: number;
  rssBytes: number;
  /** CPU seconds used so far. */
  seconds: number;
  /** Epoch milliseconds. */
  startedAt: number;
  command: string;
}

const KERNEL = ['[kthreadd]', '[kworker/0:0-events]', '[ksoftirqd/0]', '[rcu_preempt]', '[jbd2/vda1-8]'];

/** Returns the processes of the guest. Their CPU and memory add up to the driver's samples. */
export function processesOf(system: System): ProcessLine[] {
  const { guest, inside, bootedAt } = system;
  const now = system.now();
  const memory = system.memory();
  const sample = sampleAt(system.id, guest, now);
  const hog = memory.used - (sample?.ramUsedBytes ?? memory.used);
  const units = unitsOf(system).filter((unit) => stateOf(system, unit).active === 'active');
  const weights = units.reduce((sum, { weight }) => sum + weight, 8);
  const cpu = system.load()[0]! * 100;
  const line = (
    pid: number,
    command: string,
    weight: number,
    more: Partial<ProcessLine> = {},
  ): ProcessLine => ({
    pid,
    user: 'root',
    tty: '?',
    cpu: (cpu * weight) / weights,
    rssBytes: ((memory.used - hog) * 0.8 * weight) / weights,
    seconds: ((sample?.cpuSeconds ?? 0) * weight) / weights,
    startedAt: bootedAt,
    command,
    ...more,
  });
  const lines = [line(1, '/sbin/init', 6), ...KERNEL.map((command, at) => line(at + 2, command, 0))];
  for (const unit of units) {
    const { pid, at } = stateOf(system, unit);
    const own = line(pid, unit.command, unit.weight, { user: unit.user, startedAt: at });
    if (unit.name === HOG_UNIT) own.rssBytes += hog;
    lines.push(own);
  }
  for (const [index, login] of inside.logins
    .filter((one) => one.until === null && one.at >= bootedAt)
    .entries()) {
    const more = { user: login.user, tty: login.tty, startedAt: login.at };
    lines.push(line(3000 + index, '-bash', 0.5, more));
  }
  return lines.sort((a, b) => a.pid - b.pid);
}
