import { createHash } from 'node:crypto';
import type { EdgeRule } from '../driver.ts';

/** The table that drops; its rules are not read when counters are. */
export const RULES_TABLE = 'vauban-edge';
/** The table that counts what comes in and what passes. */
export const COUNTS_TABLE = 'vauban-edge-counts';
/** The table that answers SYN in the place of targets, where that is configured; those of the others are `netdev`. */
export const PROXY_TABLE = 'vauban-edge-proxy';
export const familyOfTable = (table: string) => (table === PROXY_TABLE ? 'inet' : 'netdev');
/** Port samples are tables of their own, with a number behind this: they come and go without touching the others. */
export const SAMPLE_TABLE_PREFIX = 'vauban-edge-sample-';

/** Stands behind the rules while they are made anew; see `rebuild.ts`. */
export const GUARD_TABLE = 'vauban-edge-guard';
/** Whether a table is one that goes by itself: where a process died meanwhile, it is for the next to delete. */
export const isTemporary = (table: string) => table.startsWith(SAMPLE_TABLE_PREFIX) || table === GUARD_TABLE;

export type Family = 4 | 6;
export const FAMILIES = [4, 6] as const;

/**
 * Of each family, what a set of the counts' table counts by address. The class `other` is the rest. Packets go on while the
 * sets are read, one after the other in this order: what passed is part of what came in, and so is each class.
 */
export const COUNTED = ['passed', 'syn', 'tcp', 'udp', 'icmp', 'fragment', 'in'] as const;
export type Counted = (typeof COUNTED)[number];

export const setName = (counted: Counted, family: Family) => `${counted}${family}`;
export const dispatchName = (family: Family) => `dispatch${family}`;
/** Addresses that SYN is answered for. */
export const proxiedName = (family: Family) => `proxied${family}`;

/** The chain of a target's rules. */
export const chainName = (targetId: string) => `t-${targetId}`;
/** The chain that a target's packets go to instead while it is blackholed; it has one rule, with this comment. */
export const blackholeName = (targetId: string) => `${BLACKHOLE_PREFIX}${targetId}`;
export const BLACKHOLE_PREFIX = 'b-';
export const BLACKHOLE = 'blackhole';
/** The target whose packets go to a chain; undefined where it is of none. */
export const targetOfChain = (name: string) =>
  name.startsWith('t-') || name.startsWith(BLACKHOLE_PREFIX) ? name.slice(2) : undefined;

/**
 * The set that counts what each rule drops, by the rule's number. Named counters would be read by nft before every change,
 * all of them (1.0.6: four fifths of its time with 10,000 rules); the elements of a set are not.
 */
export const DROPPED_SET = 'dropped';
/** Stands beside a rule's number in {@link DROPPED_SET}. */
export const counterName = (targetId: string, ruleId: string) => `${targetId}/${ruleId}`;
/** The ids of the target and of the rule that a number of {@link DROPPED_SET} belongs to. */
export function idsOfCounter(name: string): [targetId: string, ruleId: string] | undefined {
  const [targetId, ruleId, ...more] = name.split('/');
  return targetId && ruleId && more.length === 0 ? [targetId, ruleId] : undefined;
}

/** A limit keeps what it has let pass, so one that lets pass another amount is another. */
export const limitName = (targetId: string, { id, rate }: EdgeRule) =>
  `${targetId}/${id}/${rate?.unit}-${rate?.value}`;

/** The set that tells the senders of a limit apart. */
export const sourcesName = (targetId: string, { id, rate }: EdgeRule) =>
  `${targetId}/${id}/sources-${rate?.perSource}`;

/** Tells a rule from what it was before: stands beside it in the kernel, where it can be read again. */
export function printOf({ id, action, match, rate }: EdgeRule): string {
  const meaning = JSON.stringify([
    action,
    Object.entries(match).sort(),
    rate && [rate.unit, rate.value, ...(rate.perSource === undefined ? [] : [rate.perSource])],
  ]);
  return `${id}:${digest(meaning)}`;
}

export const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12);
