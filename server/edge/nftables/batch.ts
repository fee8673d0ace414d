import { canonicalIp } from '../../platform/cidr.ts';
import type { EdgeRule, EdgeTarget, Volume } from '../driver.ts';
import { PROXIED_IN } from './layout.ts';
import {
  BLACKHOLE,
  blackholeName,
  COUNTED,
  COUNTS_TABLE,
  chainName,
  counterName,
  DROPPED_SET,
  dispatchName,
  type Family,
  limitName,
  proxiedName,
  RULES_TABLE,
  setName,
  sourcesName,
} from './names.ts';
import { chainOf, limitOf, sourcesOf } from './rules.ts';

/** A target as the kernel holds it. Immutable: a change makes a new object. */
export interface Held {
  readonly ip: string;
  readonly family: Family;
  /** For each rule id, the number under which its drops are counted. */
  readonly numbers: ReadonlyMap<string, number>;
  readonly limits: readonly string[];
  /** Names of the sets of senders. */
  readonly sources: readonly string[];
  /** Fingerprints of the rules, one for each line of the chain. */
  readonly prints: readonly string[];
  readonly blackholed: boolean;
  /** True if the edge answers SYN on behalf of the target. */
  readonly proxied: boolean;
}

/** Allocates a number to each rule, greater than any in use. */
export class RuleNumbers {
  #last: number;

  constructor(used: Iterable<number> = []) {
    this.#last = 0;
    for (const number of used) this.#last = Math.max(this.#last, number);
  }

  next(): number {
    return ++this.#last;
  }
}

const NAMELESS = { number: 0, limit: '', sources: '' };
const limitsOf = (id: string, rules: EdgeRule[]) =>
  rules.filter(({ rate }) => rate).map((rule) => limitName(id, rule));

const sourceRules = (rules: EdgeRule[]) => rules.filter(({ rate }) => rate?.perSource !== undefined);

/** Returns how a target will be held once it is put, given how it is held now; rules that stay keep their numbers. */
export function heldOf(
  { id, ip, family, rules }: EdgeTarget,
  held: Held | undefined,
  numbers: RuleNumbers,
): Held {
  const before = held?.ip === canonicalIp(ip) ? held : undefined;
  return {
    ip: canonicalIp(ip),
    family,
    numbers: new Map(rules.map((rule) => [rule.id, before?.numbers.get(rule.id) ?? numbers.next()])),
    limits: limitsOf(id, rules),
    sources: sourceRules(rules).map((rule) => sourcesName(id, rule)),
    prints: chainOf(rules, family, () => NAMELESS).map(({ print }) => print),
    blackholed: before?.blackholed ?? false,
    proxied: rules.some(({ rate }) => rate?.synProxy),
  };
}

/** Returns true if a target is already held as wanted. */
export function isHeldAs(held: Held | undefined, wanted: Held): boolean {
  const sorted = (names: Iterable<unknown>) => [...names].sort().join();
  return (
    held !== undefined &&
    held.ip === wanted.ip &&
    held.proxied === wanted.proxied &&
    held.blackholed === wanted.blackholed &&
    held.prints.join() === wanted.prints.join() &&
    sorted(held.numbers) === sorted(wanted.numbers) &&
    sorted(held.limits) === sorted(wanted.limits) &&
    sorted(held.sources) === sorted(wanted.sources)
  );
}

/**
 * Returns the batch that makes a target's rules exactly these, with the result that {@link heldOf} describes. It
 * replaces the whole chain in one step, so that no packet passes between the old rules and the new ones. Rules that
 * stay continue their counters; new ones start from `counted`.
 */
export function putBatch(
  target: EdgeTarget,
  wanted: Held,
  held: Held | undefined,
  counted: ReadonlyMap<string, Volume> = new Map(),
): string[] {
  const { id, family, rules } = target;
  if (held && held.ip !== wanted.ip)
    return [...removeBatch(id, held), ...putBatch(target, wanted, undefined)];
  const chain = `netdev ${RULES_TABLE} ${chainName(id)}`;
  const added = rules.filter((rule) => !held?.numbers.has(rule.id));
  const gone = [...(held?.numbers ?? [])].filter(([ruleId]) => !wanted.numbers.has(ruleId));
  const unused = held?.limits.filter((name) => !wanted.limits.includes(name)) ?? [];
  const silent = held?.sources.filter((name) => !wanted.sources.includes(name)) ?? [];
  return [
    ...added.map((rule) => {
      const name = counterName(id, rule.id);
      const { packets, bytes } = counted.get(name) ?? { packets: 0, bytes: 0 };
      const element = `${wanted.numbers.get(rule.id)} counter packets ${packets} bytes ${bytes}`;
      return `add element netdev ${RULES_TABLE} ${DROPPED_SET} { ${element} comment "${name}" }`;
    }),
    ...rules.flatMap((rule) =>
      rule.rate ? [`add limit netdev ${RULES_TABLE} ${limitName(id, rule)} { ${limitOf(rule.rate)}; }`] : [],
    ),
    ...wanted.sources.map((name) => `add set netdev ${RULES_TABLE} ${name} { ${sourcesOf(family)} }`),
    `add chain ${chain}`,
    `flush chain ${chain}`,
    ...chainOf(rules, family, (rule) => ({
      number: wanted.numbers.get(rule.id)!,
      limit: limitName(id, rule),
      sources: sourcesName(id, rule),
    })).map(({ text, print }) => `add rule ${chain} ${text} comment "${print}"`),
    ...gone.map(deleteNumber),
    ...unused.map((name) => `delete limit netdev ${RULES_TABLE} ${name}`),
    ...silent.map((name) => `delete set netdev ${RULES_TABLE} ${name}`),
    ...(wanted.proxied === (held?.proxied ?? false) ? [] : proxyBatch(wanted, wanted.proxied)),
    ...(held ? [] : addElements(id, wanted.ip, family)),
  ];
}

/** Returns the batch that removes everything of a target. */
export function removeBatch(id: string, held: Held): string[] {
  const chain = `netdev ${RULES_TABLE} ${chainName(id)}`;
  return [
    ...(held.proxied ? proxyBatch(held, false) : []),
    ...removeElements(id, held),
    ...deleteChain(chain),
    ...held.limits.map((name) => `delete limit netdev ${RULES_TABLE} ${name}`),
    ...held.sources.map((name) => `delete set netdev ${RULES_TABLE} ${name}`),
    ...[...held.numbers].map(deleteNumber),
  ];
}

function proxyBatch({ ip, family }: Held, on: boolean): string[] {
  return PROXIED_IN.map(
    (table) => `${on ? 'add' : 'delete'} element ${table} ${proxiedName(family)} { ${ip} }`,
  );
}

/**
 * Returns the batch that creates the chain for a blackholed target's packets. Apply it before sending packets there:
 * to a packet in flight, a new chain is empty at first.
 */
export function blackholeChain(id: string): string[] {
  const chain = `netdev ${RULES_TABLE} ${blackholeName(id)}`;
  return [`add chain ${chain}`, `flush chain ${chain}`, `add rule ${chain} drop comment "${BLACKHOLE}"`];
}

/** Returns the batch that sends a target's packets to the blackhole chain, or back to its rules. */
export function blackholeBatch(id: string, { ip, family }: Held, on: boolean): string[] {
  const chain = `netdev ${RULES_TABLE} ${blackholeName(id)}`;
  const [from, to] = on ? [chainName(id), blackholeName(id)] : [blackholeName(id), chainName(id)];
  return [
    `delete element ${dispatched(ip, family, from)}`,
    `add element ${dispatched(ip, family, to)}`,
    ...(on ? [] : deleteChain(chain)),
  ];
}

const dispatched = (ip: string, family: Family, chain: string) =>
  `netdev ${RULES_TABLE} ${dispatchName(family)} { ${ip} : goto ${chain} }`;

const deleteChain = (chain: string) => [`flush chain ${chain}`, `delete chain ${chain}`];

const deleteNumber = ([, number]: [ruleId: string, number: number]) =>
  `delete element netdev ${RULES_TABLE} ${DROPPED_SET} { ${number} }`;

function addElements(id: string, ip: string, family: Family): string[] {
  return [
    ...COUNTED.map((name) => `add element netdev ${COUNTS_TABLE} ${setName(name, family)} { ${ip} }`),
    `add element ${dispatched(ip, family, chainName(id))}`,
  ];
}

function removeElements(id: string, { ip, family, blackholed }: Held): string[] {
  return [
    `delete element ${dispatched(ip, family, blackholed ? blackholeName(id) : chainName(id))}`,
    ...COUNTED.map((name) => `delete element netdev ${COUNTS_TABLE} ${setName(name, family)} { ${ip} }`),
    ...(blackholed ? deleteChain(`netdev ${RULES_TABLE} ${blackholeName(id)}`) : []),
  ];
}
