import type { NetworkPolicy } from '../../driver.ts';
import { type Card, elementsOf, forwardKey } from './card.ts';
import { firewallRules } from './rules.ts';
import { speedRules } from './speed.ts';
import { baseTable, DROP_TABLES } from './table.ts';
import { TRAFFIC_LIMITS } from './traffic-limits.ts';

/** Value of an nftables counter. */
export interface Count {
  packets: number;
  bytes: number;
}

/** A guest's part of the table: its card and its rules. */
export interface Entry {
  /** Shown as a comment on its chains, for people. */
  id: string;
  card: Card;
  policy: NetworkPolicy;
}

/**
 * Returns the batch that makes a guest's part of the table exactly `entry`, whatever is there now. `held` is the
 * table's current content for all guests. Other guests' parts are untouched, except for forwards that have moved to
 * this guest.
 */
export function updateBatch(held: Map<string, Card>, entry: Entry): string[] {
  const { card } = entry;
  const before = held.get(card.tap);
  const old = before ? elementsOf(before) : [];
  const wanted = elementsOf(card);
  const fresh = wanted.filter((element) => !old.includes(element));
  return [
    ...movedForwards(held, card).flatMap(deleteElement),
    ...old.filter((element) => !wanted.includes(element)).flatMap(deleteElement),
    ...guestChains(entry),
    ...fresh.map((element) => `add element ${element}`),
  ];
}

export function removeBatch(card: Card): string[] {
  const counters = countersOf(card.tap);
  const chains = ['in', 'out', 'speed'].map((what) => `${what}-${card.tap}`);
  return [
    ...chains.map((name) => `add chain inet vauban ${name}`),
    ...counters.map((name) => `add counter inet vauban ${name}`),
    ...elementsOf(card).flatMap(deleteElement),
    ...['connections', 'packets'].flatMap((used) => deleteElement(`inet vauban ${used} { ${card.tap} }`)),
    ...chains.flatMap((name) => [`flush chain inet vauban ${name}`, `delete chain inet vauban ${name}`]),
    ...counters.map((name) => `delete counter inet vauban ${name}`),
  ];
}

/** Returns the batch that rebuilds the whole table with exactly these guests. Counters continue from `counts`. */
export function reassertBatch(
  uplink: string,
  entries: Entry[],
  counts: Map<string, Count>,
  limits = TRAFFIC_LIMITS,
): string[] {
  const counters = new Set(entries.flatMap(({ card: { tap } }) => countersOf(tap)));
  const restored = [...counts].filter(([name]) => name === 'spoofed' || counters.has(name));
  const taken = new Set<string>();
  return [
    ...DROP_TABLES,
    'add table inet vauban',
    ...restored.map(
      ([name, { packets, bytes }]) =>
        `add counter inet vauban ${name} { packets ${packets} bytes ${bytes}; }`,
    ),
    ...baseTable(uplink, limits),
    ...entries.flatMap((entry) => [
      ...guestChains(entry),
      ...elementsOf(ownForwards(entry.card, taken)).map((element) => `add element ${element}`),
    ]),
  ];
}

/**
 * Returns the card without forwards that another guest has taken: a port that is being moved may be in the rules of
 * both.
 */
function ownForwards(card: Card, taken: Set<string>): Card {
  const forwards = card.forwards.filter((forward) => !taken.has(forwardKey(forward)));
  for (const forward of forwards) taken.add(forwardKey(forward));
  return { ...card, forwards };
}

/** Names of the counters for received and sent traffic, and for packets refused beyond the limits. */
function countersOf(tap: string): string[] {
  return ['in', 'out', 'connections', 'packets'].map((what) => `${what}-${tap}`);
}

function guestChains({ id, card: { tap }, policy }: Entry): string[] {
  const chain = (name: string, rules: string[]) => [
    `add chain ${name} { comment "${id}"; }`,
    `flush chain ${name}`,
    ...rules.map((rule) => `add rule ${name} ${rule}`),
  ];
  const firewall = (['in', 'out'] as const).flatMap((direction) => {
    const name = `inet vauban ${direction}-${tap}`;
    return chain(name, firewallRules(direction, policy));
  });
  const counters = countersOf(tap).map((name) => `add counter inet vauban ${name}`);
  return [...counters, ...firewall, ...chain(`inet vauban speed-${tap}`, speedRules(policy))];
}

/** Adds the element first: deleting a missing element would fail the whole batch. */
function deleteElement(element: string): string[] {
  return [`add element ${element}`, `delete element ${element}`];
}

/** Returns elements of other guests for ports that now belong to this one. */
function movedForwards(held: Map<string, Card>, card: Card): string[] {
  const keys = new Set(card.forwards.map(forwardKey));
  if (keys.size === 0) return [];
  return [...held.values()]
    .filter(({ tap }) => tap !== card.tap)
    .flatMap((other) => other.forwards.filter((forward) => keys.has(forwardKey(forward))))
    .map(
      (forward) =>
        `inet vauban forwards { ${forwardKey(forward)} : ${forward.internalIp} . ${forward.internalPort} }`,
    );
}
