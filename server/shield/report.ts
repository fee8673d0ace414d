import type { Database } from '../db/database.ts';
import { type AttackRow, insertAttack } from '../db/queries/shield/shield-attacks.ts';
import {
  endReport,
  followReports,
  joinReport,
  markReported,
  systemTargetOfAddress,
} from '../db/queries/shield/shield-reports.ts';
import { systemLockTarget, type TargetRow } from '../db/queries/shield/shield-targets.ts';
import {
  EDGE_CLASSES,
  type EdgeClass,
  type EdgeDriver,
  type PortSample,
  type Volume,
} from '../edge/driver.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError, invalidField } from '../platform/errors.ts';
import { newId } from '../platform/ids.ts';
import { newAttack, observed, withVectors } from './attack-record.ts';
import { FLOOR, type Rate, timesOf } from './baseline.ts';
import { attackingClasses, classify, type Finding } from './classify.ts';
import { keepMitigating, writeAutomaticRule } from './mitigate.ts';
import { mitigationOf } from './mitigation.ts';

/** A report of an attack by another program, which sees traffic that this host does not. */
export interface AttackReport {
  ip: string;
  /** Rate of all incoming traffic to that address. */
  rate: Rate;
  /** Incoming traffic by class, in packets and bytes per second; absent classes were not seen. */
  classes: Partial<Record<EdgeClass, Volume>>;
  /** Source ports of part of the traffic. */
  ports: PortSample['ports'];
  /** The report expires after this time unless it is renewed or ended earlier. */
  seconds: number;
}

interface ReportParts {
  db: Database;
  clock: Clock;
  edge: EdgeDriver;
  shield: { kick(targetId: string): void };
}

/**
 * Turns a report into an attack on its target, or into part of the ongoing one, and writes rules against it according
 * to the target's mode. Returns the attack's id. Refuses an address that is not a target, or whose target is off the
 * edge.
 */
export async function reportAttack(parts: ReportParts, report: AttackReport): Promise<string> {
  const { db, clock } = parts;
  const now = clock.now();
  const { target, attack } = await db.transaction(async (tx) => {
    const found = await systemTargetOfAddress(tx, report.ip);
    const locked = found === undefined ? undefined : await systemLockTarget(tx, found);
    if (!locked) throw invalidField('ip', 'not_found', 'is not a protected address');
    if (locked.mode === 'off') {
      throw new ApiError('invalid_state', 'The target is off the edge; change its mode first.');
    }
    const row = recordOf(report, locked, newId('atk', clock), now);
    const until = new Date(now.getTime() + 1_000 * report.seconds);
    const joined = await joinReport(tx, { ...row, until });
    if (joined !== undefined) return { target: locked, attack: { ...row, id: joined } };
    await insertAttack(tx, row);
    await markReported(tx, row.id, until);
    return { target: locked, attack: row };
  });
  if (target.mode === 'always_on') await mitigate(parts, report, target, attack);
  return attack.id;
}

/** Ends a reported attack on an address. Returns the attack's id, or null if none was reported. */
export async function endReportedAttack({ db, clock }: ReportParts, ip: string): Promise<string | null> {
  const id = await systemTargetOfAddress(db, ip);
  return (id !== undefined && (await endReport(db, id, clock.now()))) || null;
}

/** Ends attacks whose reports have expired, and extends the rules against the others. */
export async function lookAfterReports({ db, clock }: Pick<ReportParts, 'db' | 'clock'>): Promise<void> {
  for (const id of await followReports(db, clock.now())) await keepMitigating(db, id, clock.now());
}

function recordOf(report: AttackReport, target: TargetRow, id: string, now: Date): AttackRow {
  const { rate } = report;
  const threshold = thresholdOf(target);
  const nothing = { packets: 0, bytes: 0 };
  const level = timesOf(rate, threshold);
  const record = observed(newAttack(id, target, now, now), {
    at: now,
    rate,
    threshold,
    level,
    dropped: nothing,
  });
  return withVectors(
    { ...record, reason: `Reported: ${record.reason}` },
    findingsOf(report).map(({ vector }) => vector),
  );
}

function thresholdOf({ threshold_pps: pps, threshold_bps: bps }: TargetRow): Rate {
  return { pps: pps === null ? FLOOR.pps : Number(pps), bps: bps === null ? FLOOR.bps : Number(bps) };
}

function findingsOf({ rate, classes, ports }: AttackReport): Finding[] {
  const none = { packets: 0, bytes: 0 };
  const entries = EDGE_CLASSES.map((name): [EdgeClass, Volume] => [name, classes[name] ?? none]);
  const all = Object.fromEntries(entries) as Record<EdgeClass, Volume>;
  const sample = { id: '', ports, others: { tcp: 0, udp: 0 } };
  return attackingClasses(all, { pps: rate.pps, usualPps: () => 0 }).map((name) =>
    classify(name, all[name], sample),
  );
}

async function mitigate(
  { db, clock, edge, shield }: ReportParts,
  report: AttackReport,
  target: TargetRow,
  attack: AttackRow,
): Promise<void> {
  const around = {
    family: target.family,
    threshold: thresholdOf(target),
    isTogether: false,
    capabilities: edge.capabilities(),
    usualPps: 0,
  };
  await keepMitigating(db, attack.id, clock.now());
  for (const finding of findingsOf(report)) {
    const spec = mitigationOf(finding, around);
    if (spec && (await writeAutomaticRule(db, clock, attack, spec)) === 'written') shield.kick(target.id);
  }
}
