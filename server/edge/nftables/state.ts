import { canonicalIp } from '../../platform/cidr.ts';
import {
  type Counted,
  countedIn,
  elementsOf,
  type Item,
  ingressDevices,
  structureOf,
} from '../../platform/nftables/listing.ts';
import type { Volume } from '../driver.ts';
import { type Held, isHeldAs, RuleNumbers } from './batch.ts';
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
  withFamily,
} from './names.ts';
import { listTable, unavailable } from './program.ts';

/** The tables' content, apart from the parts that never change. */
export interface EdgeContent {
  epoch: string;
  held: Map<string, Held>;
  /** Allocates numbers that are not in use. */
  numbers: RuleNumbers;
}

/** The state held by the kernel, which is the only place that remembers it. */
export interface KernelState extends EdgeContent {
  /** Drops of each rule, by {@link counterName}. */
  counted: Map<string, Volume>;
  /** The part that is not as this version creates it for these devices; undefined if there is none. */
  fault: string | undefined;
}

const EPOCH = `${withFamily(COUNTS_TABLE)} ${EPOCH_PREFIX}`;
/** The chains that count incoming packets, drop, and count passed packets. */
const BASE_CHAINS = 3;

/** Reads all tables; undefined if one does not exist. */
export async function readState(layout: Layout): Promise<KernelState | undefined> {
  const [counts, rules, proxy = []] = await Promise.all(tablesOf(layout).map(listTable));
  if (!counts || !rules) return undefined;
  const structure = structureOf([...rules, ...counts, ...proxy]);
  const epoch = [...structure.keys()].find((name) => name.startsWith(EPOCH));
  const dropped = countedIn<number>(rules, DROPPED_SET);
  const proxied = new Set(proxiedIn(proxy));
  const held = heldTargets(rules, structure, dropped, proxied);
  const isAt = await isAtDevices(layout.devices);
  const sound: Record<string, boolean> = {
    layout: tablesOf(layout).every((table) => structure.has(`${withFamily(table)} ${layoutMark(layout)}`)),
    chains: [...baseStructure(layout)].every(
      ([name, comments]) => structure.get(name)?.join() === comments.join(),
    ),
    blackholes: [...structure].every(
      ([name, comments]) => !isBlackhole(name) || comments.join() === BLACKHOLE,
    ),
    addresses: countsExactly(counts, held),
    'addresses behind the proxy':
      proxiedIn(counts).length === proxied.size && proxiedIn(counts).every((ip) => proxied.has(ip)),
    devices: isAt,
    epoch: epoch !== undefined,
  };
  return {
    epoch: epoch?.slice(EPOCH.length) ?? '',
    held,
    counted: new Map(dropped.map(({ comment, volume }) => [comment, volume])),
    numbers: new RuleNumbers(dropped.map(({ value }) => value)),
    fault: Object.keys(sound).find((part) => !sound[part]),
  };
}

/** Returns true if what was found is what the tables were left with. */
export function isSameContent(found: EdgeContent, known: EdgeContent): boolean {
  return (
    found.epoch === known.epoch &&
    found.held.size === known.held.size &&
    [...known.held].every(([id, one]) => isHeldAs(found.held.get(id), one))
  );
}

function heldTargets(
  items: Item[],
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
    for (const [address, verdict] of elementsOf<DispatchElement>(items, dispatchName(family))) {
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
        prints: structure.get(`${withFamily(RULES_TABLE)} t-${id}`) ?? [],
        blackholed: chain === blackholeName(id),
        proxied: proxied.has(ip),
      });
    }
  }
  return held;
}

const isBlackhole = (chain: string) => chain.startsWith(`${withFamily(RULES_TABLE)} ${BLACKHOLE_PREFIX}`);

/** The addresses for which SYN is answered, according to one of the tables that list them. */
const proxiedIn = (items: Item[]) =>
  FAMILIES.flatMap((family) => elementsOf(items, proxiedName(family)).map((one) => canonicalIp(`${one}`)));

type DispatchElement = [string, { goto?: { target: string } }];

/** Returns true if the counting sets contain exactly the addresses of the held targets. */
function countsExactly(counts: Item[], held: Map<string, Held>): boolean {
  return FAMILIES.every((family) => {
    const wanted = new Set([...held.values()].filter((one) => one.family === family).map(({ ip }) => ip));
    return (['in', 'passed'] as const).every((name) => {
      const found = elementsOf<{ elem: { val: string } }>(counts, setName(name, family));
      return found.length === wanted.size && found.every(({ elem }) => wanted.has(canonicalIp(elem.val)));
    });
  });
}

/** Returns true if every base chain is attached to all these devices: a device that disappears is detached. */
async function isAtDevices(devices: readonly string[]): Promise<boolean> {
  const chains = await ingressDevices([RULES_TABLE, COUNTS_TABLE]).catch(unavailable);
  return chains.length === BASE_CHAINS && chains.every((at) => devices.every((name) => at.includes(name)));
}
