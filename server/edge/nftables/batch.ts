import { canonicalIp } from '../../platform/cidr.ts';
import type { EdgeRule, EdgeTarget, Volume } from '../driver.ts';
import {
  blackholeName,
  COUNTED,
  COUNTS_TABLE,
  chainName,
  counterName,
  dispatchName,
  type Family,
  limitName,
  printOf,
  RULES_TABLE,
  setName,
  sourcesName,
} from './names.ts';
import { limitOf, rulesOf, sourcesOf } from './rules.ts';

/** A target as the kernel holds it. */
export interface Held {
  ip: string;
  family: Family;
  /** Ids of the rules that have a counter. */
  counters: string[];
  /** Names of its limits. */
  limits: string[];
  /** Names of the sets of senders. */
  sources: string[];
  /** What tells the rules apart, one for each line of the chain. */
  prints: string[];
  blackholed: boolean;
}

const NAMELESS = { counter: '', limit: '', sources: '' };
const limitsOf = (id: string, rules: EdgeRule[]) =>
  rules.filter(({ rate }) => rate).map((rule) => limitName(id, rule));

const sourceRules = (rules: EdgeRule[]) => rules.filter(({ rate }) => rate?.perSource !== undefined);

/** How a target is held once it is put. */
export function heldOf({ id, ip, family, rules }: EdgeTarget, blackholed: boolean): Held {
  const prints = rules.flatMap((rule) => rulesOf(rule, family, NAMELESS).map(() => printOf(rule)));
  const limits = limitsOf(id, rules);
  const sources = sourceRules(rules).map((rule) => sourcesName(id, rule));
  const counters = rules.map((rule) => rule.id);
  return { ip: canonicalIp(ip), family, counters, limits, sources, prints, blackholed };
}

/** Whether nothing is to be done to hold a target as wanted. */
export function isHeldAs(held: Held | undefined, wanted: Held): boolean {
  return (
    held !== undefined &&
    held.ip === wanted.ip &&
    held.prints.join() === wanted.prints.join() &&
    [...held.counters].sort().join() === [...wanted.counters].sort().join() &&
    [...held.limits].sort().join() === [...wanted.limits].sort().join() &&
    [...held.sources].sort().join() === [...wanted.sources].sort().join()
  );
}

/**
 * The batch that makes the rules of a target exactly these: all of its chain again in one step, so that no packet passes
 * between the old rules and the new ones. Counters of rules that stay go on; `counted` is what others begin with.
 */
export function putBatch(
  target: EdgeTarget,
  held: Held | undefined,
  counted: ReadonlyMap<string, Volume> = new Map(),
): string[] {
  const { id, family, rules } = target;
  const ip = canonicalIp(target.ip);
  if (held && held.ip !== ip) return [...removeBatch(id, held), ...putBatch(target, undefined, counted)];
  const chain = `netdev ${RULES_TABLE} ${chainName(id)}`;
  const gone = held?.counters.filter((ruleId) => !rules.some((rule) => rule.id === ruleId)) ?? [];
  const limits = limitsOf(id, rules);
  const unused = held?.limits.filter((name) => !limits.includes(name)) ?? [];
  const sources = sourceRules(rules).map((rule) => sourcesName(id, rule));
  const silent = held?.sources.filter((name) => !sources.includes(name)) ?? [];
  return [
    ...rules.map((rule) => addCounter(counterName(id, rule.id), counted)),
    ...rules.flatMap((rule) =>
      rule.rate ? [`add limit netdev ${RULES_TABLE} ${limitName(id, rule)} { ${limitOf(rule.rate)}; }`] : [],
    ),
    ...sources.map((name) => `add set netdev ${RULES_TABLE} ${name} { ${sourcesOf(family)} }`),
    `add chain ${chain}`,
    `flush chain ${chain}`,
    ...rules.flatMap((rule) =>
      rulesOf(rule, family, {
        counter: counterName(id, rule.id),
        limit: limitName(id, rule),
        sources: sourcesName(id, rule),
      }).map((line) => `add rule ${chain} ${line} comment "${printOf(rule)}"`),
    ),
    ...gone.map((ruleId) => `delete counter netdev ${RULES_TABLE} ${counterName(id, ruleId)}`),
    ...unused.map((name) => `delete limit netdev ${RULES_TABLE} ${name}`),
    ...silent.map((name) => `delete set netdev ${RULES_TABLE} ${name}`),
    ...(held ? [] : addElements(id, ip, family)),
  ];
}

/** The batch that leaves nothing of a target. */
export function removeBatch(id: string, held: Held): string[] {
  const chain = `netdev ${RULES_TABLE} ${chainName(id)}`;
  return [
    ...removeElements(id, held),
    `flush chain ${chain}`,
    `delete chain ${chain}`,
    ...held.limits.map((name) => `delete limit netdev ${RULES_TABLE} ${name}`),
    ...held.sources.map((name) => `delete set netdev ${RULES_TABLE} ${name}`),
    ...held.counters.map((ruleId) => `delete counter netdev ${RULES_TABLE} ${counterName(id, ruleId)}`),
  ];
}

export function blackholeBatch({ ip, family }: Held, on: boolean): string[] {
  return [`${on ? 'add' : 'delete'} element netdev ${RULES_TABLE} ${blackholeName(family)} { ${ip} }`];
}

function addCounter(name: string, counted: ReadonlyMap<string, Volume>): string {
  const { packets, bytes } = counted.get(name) ?? { packets: 0, bytes: 0 };
  // One that is there goes on as it is.
  return `add counter netdev ${RULES_TABLE} ${name} { packets ${packets} bytes ${bytes}; }`;
}

function addElements(id: string, ip: string, family: Family): string[] {
  return [
    ...COUNTED.map((name) => `add element netdev ${COUNTS_TABLE} ${setName(name, family)} { ${ip} }`),
    `add element netdev ${RULES_TABLE} ${dispatchName(family)} { ${ip} : goto ${chainName(id)} }`,
  ];
}

function removeElements(id: string, { ip, family, blackholed }: Held): string[] {
  return [
    `delete element netdev ${RULES_TABLE} ${dispatchName(family)} { ${ip} : goto ${chainName(id)} }`,
    ...COUNTED.map((name) => `delete element netdev ${COUNTS_TABLE} ${setName(name, family)} { ${ip} }`),
    ...(blackholed ? [`delete element netdev ${RULES_TABLE} ${blackholeName(family)} { ${ip} }`] : []),
  ];
}
