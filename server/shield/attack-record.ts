import type { AttackRow, AttackVector, Severity } from '../db/queries/shield/shield-attacks.ts';
import type { TargetRow } from '../db/queries/shield/shield-targets.ts';
import type { Volume } from '../edge/driver.ts';
import type { Rate } from './baseline.ts';

/** The lowest multiple of the threshold that has each severity. */
const SEVERITY_FROM: [number, Severity][] = [
  [50, 'critical'],
  [10, 'high'],
  [2, 'medium'],
  [0, 'low'],
];

/** Returns the initial record of an attack that was just detected. */
export function newAttack(id: string, target: TargetRow, startedAt: Date, at: Date): AttackRow {
  return {
    id,
    account_id: target.account_id,
    tenant_id: target.tenant_id,
    target_id: target.id,
    ip: target.ip,
    status: 'ongoing',
    vectors: [],
    severity: 'low',
    reason: '',
    started_at: startedAt,
    mitigated_at: null,
    ended_at: null,
    peak_bps: 0n,
    peak_bps_at: at,
    peak_pps: 0n,
    peak_pps_at: at,
    dropped_bytes: 0n,
    dropped_packets: 0n,
  };
}

interface Observation {
  at: Date;
  rate: Rate;
  threshold: Rate;
  /** As a multiple of the threshold. */
  level: number;
  /** Traffic dropped since the previous look. */
  dropped: Volume;
}

/** Returns the record after one more look. Peaks and totals only grow, and the severity never drops. */
export function observed(attack: AttackRow, { at, rate, threshold, level, dropped }: Observation): AttackRow {
  const [bps, pps] = [BigInt(Math.round(rate.bps)), BigInt(Math.round(rate.pps))];
  const isWorse = rank(severityOf(level)) < rank(attack.severity);
  const isPeak = pps > attack.peak_pps;
  return {
    ...attack,
    severity: isWorse ? severityOf(level) : attack.severity,
    reason: isPeak || attack.reason === '' ? reasonOf(rate, threshold) : attack.reason,
    ...(bps > attack.peak_bps && { peak_bps: bps, peak_bps_at: at }),
    ...(isPeak && { peak_pps: pps, peak_pps_at: at }),
    dropped_bytes: attack.dropped_bytes + BigInt(dropped.bytes),
    dropped_packets: attack.dropped_packets + BigInt(dropped.packets),
  };
}

export function withVectors(attack: AttackRow, vectors: AttackVector[]): AttackRow {
  return { ...attack, vectors: [...new Set([...attack.vectors, ...vectors])] };
}

const rank = (severity: Severity) => SEVERITY_FROM.findIndex(([, name]) => name === severity);

function severityOf(level: number): Severity {
  return SEVERITY_FROM.find(([from]) => level >= from)![1];
}

function reasonOf(rate: Rate, threshold: Rate): string {
  const packets = `${Math.round(rate.pps)} packets/s (threshold ${Math.round(threshold.pps)})`;
  const bits = `${megabits(rate.bps)} Mbit/s (threshold ${megabits(threshold.bps)})`;
  return `${packets} and ${bits} received`;
}

const megabits = (bps: number) => Math.round(bps / 1_000_000);
