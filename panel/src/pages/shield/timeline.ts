export interface Attack {
  status: 'ongoing' | 'ended';
  started_at: string;
  mitigated_at: string | null;
  ended_at: string | null;
  peak_bps: { value: number; at: string };
  peak_pps: { value: number; at: string };
}

export type MomentKind = 'noticed' | 'mitigated' | 'peak_bps' | 'peak_pps' | 'ended' | 'now';

export interface Moment {
  kind: MomentKind;
  at: string;
  /** Seconds since the attack was noticed. */
  after: number;
  /** Position on the timeline, 0 to 1. */
  share: number;
  value: number | null;
}

const ORDER: MomentKind[] = ['noticed', 'mitigated', 'peak_bps', 'peak_pps', 'ended', 'now'];

/**
 * Returns the moments of an attack in order, from its detection to its end, or to `now` if it is ongoing. A peak
 * without traffic is left out.
 */
export function timelineOf(attack: Attack, now: Date): Moment[] {
  const start = Date.parse(attack.started_at);
  const end = Math.max(start, attack.ended_at ? Date.parse(attack.ended_at) : now.getTime());
  const moment = (kind: MomentKind, at: string, value: number | null = null): Moment => {
    const time = Math.min(Math.max(Date.parse(at), start), end);
    const share = end === start ? 0 : (time - start) / (end - start);
    return { kind, at, after: Math.round((time - start) / 1000), share, value };
  };
  const moments = [
    moment('noticed', attack.started_at),
    ...(attack.mitigated_at ? [moment('mitigated', attack.mitigated_at)] : []),
    ...(attack.peak_bps.value > 0 ? [moment('peak_bps', attack.peak_bps.at, attack.peak_bps.value)] : []),
    ...(attack.peak_pps.value > 0 ? [moment('peak_pps', attack.peak_pps.at, attack.peak_pps.value)] : []),
    attack.ended_at ? moment('ended', attack.ended_at) : moment('now', new Date(end).toISOString()),
  ];
  return moments.sort((a, b) => a.after - b.after || ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
}

/**
 * Returns the time window of the chart: the attack, and a sixth of its length but at least two minutes on either side.
 */
export function windowAround(attack: Attack, now: Date): { from: string; to: string } {
  const start = Date.parse(attack.started_at);
  const end = attack.ended_at ? Date.parse(attack.ended_at) : now.getTime();
  const margin = Math.max(120_000, (end - start) / 6);
  return {
    from: new Date(start - margin).toISOString(),
    to: new Date(Math.min(end + margin, now.getTime())).toISOString(),
  };
}
