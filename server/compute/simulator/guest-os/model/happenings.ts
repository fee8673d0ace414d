import { seeded } from '../../../../platform/synthetic-load.ts';
import type { SimulatedGuest } from './guest.ts';

/** An event that a guest caused itself; the same event always has the same key. */
export interface Happening {
  key: string;
  id: string;
  type: 'guest.powered_off' | 'guest.crashed' | 'guest.warning';
  level: 'info' | 'warning' | 'error';
  message: string;
  /** The readiness check that did not succeed in time. */
  waitedFor?: string;
  at: Date;
}

/** Time is divided into slots. In one of sixteen, a guest has a warning: about once in four days. */
const SLOT_MS = 6 * 3_600_000;
const WARNING_CHANCE = 1 / 16;
const WARNINGS = [
  'The load was above the number of vCPUs for some minutes.',
  'Disk writes were slow for a moment.',
  'The clock was off and has been set.',
  'A process was stopped because it used too much memory.',
] as const;

const OWN_ENDS = {
  crashed: { type: 'guest.crashed', level: 'error', message: 'The guest has crashed.' },
  powered_off: { type: 'guest.powered_off', level: 'info', message: 'The guest powered itself off.' },
} as const;

function warningIn(id: string, slot: number): Happening | undefined {
  const random = seeded(`${id}/slot/${slot}`);
  if (random() >= WARNING_CHANCE) return undefined;
  return {
    key: `${id}/warning/${slot}`,
    id,
    type: 'guest.warning',
    level: 'warning',
    message: WARNINGS[Math.floor(random() * WARNINGS.length)]!,
    at: new Date(slot * SLOT_MS + Math.floor(random() * SLOT_MS)),
  };
}

/**
 * Returns events that the guest caused after `from` and up to `to` (epoch milliseconds), in its current run. The same
 * time span always contains the same events.
 */
export function happenings(
  id: string,
  { run }: Pick<SimulatedGuest, 'run'>,
  from: number,
  to: number,
): Happening[] {
  if (!run) return [];
  const events: Happening[] = [];
  const first = Math.max(from, run.bootUntil);
  const last = Math.min(to, run.end?.at ?? to);
  for (let slot = Math.floor(first / SLOT_MS); slot * SLOT_MS <= last; slot++) {
    const warning = warningIn(id, slot);
    const at = warning?.at.getTime() ?? 0;
    if (warning && at > first && at <= last) events.push(warning);
  }
  const { end, waitUntil = 0 } = run;
  if (waitUntil > from && waitUntil <= last) {
    const message = 'The guest runs, but nothing answered on its TCP port 22 in time.';
    const hint = { type: 'guest.warning', level: 'warning', message, waitedFor: 'port:22' } as const;
    events.push({ key: `${id}/not-ready/${waitUntil}`, id, ...hint, at: new Date(waitUntil) });
  }
  if (end && end.why !== 'asked' && end.at > from && end.at <= to) {
    events.push({ key: `${id}/${end.why}/${end.at}`, id, ...OWN_ENDS[end.why], at: new Date(end.at) });
  }
  return events;
}
