import { canonicalIp } from '../../platform/cidr.ts';
import type { Volume } from '../driver.ts';
import { type Held, RuleNumbers } from './batch.ts';
import { baseStructure, EPOCH_PREFIX, type Layout, layoutMark, tablesOf } from './layout.ts';
import {
  BLACKHOLE,
  BLACKHOLE_PREFIX,
  blackholeName,
  COUNTS_TABLE,
  DROPPED_SET,
  dispatchName,
  FAMILIES,
  idsOfCounter,
  proxiedName,
  RULES_TABLE,
  setName,
  targetOfChain,
} from './names.ts';
import { type Counted, countedIn, listTable, NotThereError, type TableItem } from './program.ts';

/** The state held by the kernel, which is the only place that remembers it. */
export interface KernelState {
  epoch: string;
  held: Map<string, Held>;
  /** Drops of each rule, by {@link counterName}. */
  counted: Map<string, Volume>;
  /** Allocates numbers that are not in use. */
  numbers: RuleNumbers;
  /** True if everything that does not belong to a target is as this version creates it, for these devices. */
  sound: boolean;
}

/** Reads all tables; undefined if one does not exist. */
export async function readState(layout: Layout): Promise<KernelState | undefined> {
  const tables = await Promise.all(tablesOf(layout).map(listTable)).catch((error) => {
    if (error instanceof NotThereError) return undefined;
    throw error;
  });
  if (!tables) return undefined;
  const [counts, rules, proxy = []] = tables as [TableItem[], TableItem[], TableItem[]?];
  const structure = structureOf([...rules, ...counts, ...proxy]);
  const epoch = [...structure.keys()].find((name) => name.startsWith(`${COUNTS_TABLE} ${EPOCH_PREFIX}`));
  const dropped = countedIn<number>(rules, DROPPED_SET);
  const proxied = new Set(proxiedIn(proxy));
  const held = heldTargets(rules, structure, dropped, proxied);
  const sound =
    epoch !== undefined &&
    tablesOf(layout).every((table) => structure.has(`${table} ${layoutMark(layout)}`)) &&
    [...baseStructure(layout)].every(([name, comments]) => structure.get(name)?.join() === comments.join()) &&
    [...structure].every(([name, comments]) => !isBlackhole(name) || comments.join() === BLACKHOLE) &&
    countsExactly(counts, held) &&
    proxiedIn(counts).length === proxied.size &&
    proxiedIn(counts).every((ip) => proxied.has(ip));
  return {
    epoch: epoch?.slice(`${COUNTS_TABLE} ${EPOCH_PREFIX}`.length) ?? '',
    held,
    counted: new Map(dropped.map(({ comment, volume }) => [comment, volume])),
    numbers: new RuleNumbers(dropped.map(({ value }) => value)),
    sound,
  };
}

/** Returns the comments of the rules of every chain, by "table chain". */
function structureOf(items: TableItem[]): Map<string, string[]> {
  const chains = items.flatMap(({ chain }): [string, string[]][] =>
    chain ? [[`${chain.table} ${chain.name}`, []]] : [],
  );
  const structure = new Map(chains);
  for (const { rule } of items) {
    if (rule) structure.get(`${rule.table} ${rule.chain}`)?.push(rule.comment ?? 'foreign');
  }
  return structure;
}

function heldTargets(
  items: TableItem[],
  structure: Map<string, string[]>,
  dropped: Counted<number>[],
  proxied: ReadonlySet<string>,
): Map<string, Held> {
  const numbers = Map.groupBy(
    dropped.flatMap(({ value, comment }) => {
      const ids = idsOfCounter(comment);
      return ids ? [{ targetId: ids[0], ruleId: ids[1], number: value }] : [];
    }),
    ({ targetId }) => targetId,
  );
  const limits = Map.groupBy(
    items.flatMap(({ limit }) => (limit ? [limit.name] : [])),
    (name) => name.split('/')[0],
  );
  const sources = Map.groupBy(
    items.flatMap(({ set }) => (set?.name.includes('/') ? [set.name] : [])),
    (name) => name.split('/')[0],
  );
  const held = new Map<string, Held>();
  for (const family of FAMILIES) {
    for (const [address, verdict] of elementsOf(items, 'map', dispatchName(family)) as DispatchElement[]) {
      const chain = verdict.goto?.target ?? '';
      const id = targetOfChain(chain);
      if (id === undefined) continue;
      const ip = canonicalIp(address);
      held.set(id, {
        ip,
        family,
        numbers: new Map((numbers.get(id) ?? []).map(({ ruleId, number }) => [ruleId, number])),
        limits: limits.get(id) ?? [],
        sources: sources.get(id) ?? [],
        prints: structure.get(`${RULES_TABLE} t-${id}`) ?? [],
        blackholed: chain === blackholeName(id),
        proxied: proxied.has(ip),
      });
    }
  }
  return held;
}

const isBlackhole = (chain: string) => chain.startsWith(`${RULES_TABLE} ${BLACKHOLE_PREFIX}`);

/** The addresses for which SYN is answered, according to one of the tables that list them. */
const proxiedIn = (items: TableItem[]) =>
  FAMILIES.flatMap((family) =>
    elementsOf(items, 'set', proxiedName(family)).map((one) => canonicalIp(`${one}`)),
  );

type DispatchElement = [string, { goto?: { target: string } }];

function elementsOf(items: TableItem[], kind: 'set' | 'map', name: string): unknown[] {
  return items.flatMap((item) => (item[kind]?.name === name ? (item[kind].elem ?? []) : []));
}

/** Returns true if the counting sets contain exactly the addresses of the held targets. */
function countsExactly(counts: TableItem[], held: Map<string, Held>): boolean {
  return FAMILIES.every((family) => {
    const wanted = new Set([...held.values()].filter((one) => one.family === family).map(({ ip }) => ip));
    return (['in', 'passed'] as const).every((name) => {
      const found = elementsOf(counts, 'set', setName(name, family)) as { elem: { val: string } }[];
      return found.length === wanted.size && found.every(({ elem }) => wanted.has(canonicalIp(elem.val)));
    });
  });
}
