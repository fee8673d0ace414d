import { digest } from '../../platform/nftables/listing.ts';
import type { EdgeRule } from '../driver.ts';

/** The table that drops. Separate so that reading counters does not read its rules. */
export const RULES_TABLE = 'vauban-edge';
/** The table that counts incoming and passed packets. */
export const COUNTS_TABLE = 'vauban-edge-counts';
/**
 * The table that answers SYN on behalf of targets, if configured. It is in the family `inet`; the others are
 * `netdev`.
 */
export const PROXY_TABLE = 'vauban-edge-proxy';
export const familyOfTable = (table: string) => (table === PROXY_TABLE ? 'inet' : 'netdev');
export const withFamily = (table: string) => `${familyOfTable(table)} ${table}`;
/**
 * Each port sample is a separate table, with a number after this prefix, so that samples come and go without touching
 * the other tables.
 */
export const SAMPLE_TABLE_PREFIX = 'vauban-edge-sample-';

/** Follows the rules while they are being rebuilt; see `rebuild.ts`. */
export const GUARD_TABLE = 'vauban-edge-guard';
/**
 * Returns true for a table that exists only for a while. If a process dies before deleting it, the next process does.
 */
export const isTemporary = (table: string) => table.startsWith(SAMPLE_TABLE_PREFIX) || table === GUARD_TABLE;

export type Family = 4 | 6;
export const FAMILIES = [4, 6] as const;

/**
 * The counters kept for each family, each a set of the counts table by address. The class `other` is the remainder.
 * Packets keep arriving while the sets are read one after another in this order: `in` is read last so that no other
 * counter exceeds it.
 */
export const COUNTED = ['passed', 'syn', 'tcp', 'udp', 'icmp', 'fragment', 'in'] as const;
export type Counted = (typeof COUNTED)[number];

export const setName = (counted: Counted, family: Family) => `${counted}${family}`;
export const dispatchName = (family: Family) => `dispatch${family}`;
/** The set of addresses for which SYN is answered. */
export const proxiedName = (family: Family) => `proxied${family}`;

/** The chain of a target's rules. */
export const chainName = (targetId: string) => `t-${targetId}`;
/**
 * The chain that receives a target's packets while it is blackholed; its only rule has the comment {@link BLACKHOLE}.
 */
export const blackholeName = (targetId: string) => `${BLACKHOLE_PREFIX}${targetId}`;
export const BLACKHOLE_PREFIX = 'b-';
export const BLACKHOLE = 'blackhole';
/** Returns the target that a chain belongs to; undefined if it belongs to none. */
export const targetOfChain = (name: string) =>
  name.startsWith('t-') || name.startsWith(BLACKHOLE_PREFIX) ? name.slice(2) : undefined;

/**
 * The set that counts each rule's drops by the rule's number. nft would read named counters, all of them, before
 * every change (1.0.6: four fifths of its time with 10,000 rules); it does not read the elements of a set.
 */
export const DROPPED_SET = 'dropped';
/** The comment of a rule's number in {@link DROPPED_SET}. */
export const counterName = (targetId: string, ruleId: string) => `${targetId}/${ruleId}`;
/** Returns the ids of the target and the rule in a name made by {@link counterName}. */
export function idsOfCounter(name: string): [targetId: string, ruleId: string] | undefined {
  const [targetId, ruleId, ...more] = name.split('/');
  return targetId && ruleId && more.length === 0 ? [targetId, ruleId] : undefined;
}

/** A limit keeps its state of used tokens, so a different rate needs a different name. */
export const limitName = (targetId: string, { id, rate }: EdgeRule) =>
  `${targetId}/${id}/${rate?.unit}-${rate?.value}`;

/** The set that distinguishes the senders of a limit. */
export const sourcesName = (targetId: string, { id, rate }: EdgeRule) =>
  `${targetId}/${id}/sources-${rate?.perSource}`;

/** Returns a rule's fingerprint. It is stored as a comment in the kernel to detect later whether the rule changed. */
export function printOf({ id, action, match, rate }: EdgeRule): string {
  const meaning = JSON.stringify([
    action,
    Object.entries(match).sort(),
    rate && [rate.unit, rate.value, ...(rate.perSource === undefined ? [] : [rate.perSource])],
  ]);
  return `${id}:${digest(meaning)}`;
}
