import { canonicalIp } from '../../platform/cidr.ts';
import type { Clock } from '../../platform/clock.ts';
import { countedIn } from '../../platform/nftables/listing.ts';
import {
  EDGE_CLASSES,
  EdgeUnavailableError,
  type RuleCounters,
  type TargetDetail,
  type TargetTotals,
  type Volume,
} from '../driver.ts';
import type { Held } from './batch.ts';
import {
  COUNTED,
  COUNTS_TABLE,
  type Counted,
  DROPPED_SET,
  FAMILIES,
  idsOfCounter,
  RULES_TABLE,
  setName,
} from './names.ts';
import { listCounted, listTable } from './program.ts';

type Counts = Map<string, Volume>;
const NOTHING: Volume = { packets: 0, bytes: 0 };

/**
 * Up to this many targets, one process reads all counters even if most are not needed: another process would cost
 * more.
 */
const FEW = 200;

/**
 * Returns the counters in these sets by address, for every family that has a target; read in the order of {@link
 * COUNTED}.
 */
async function read<Name extends Counted>(
  names: readonly Name[],
  held: ReadonlyMap<string, Held>,
  isFew: boolean,
): Promise<Record<Name, Counts>> {
  const used = FAMILIES.filter((family) => [...held.values()].some((one) => one.family === family));
  const items = isFew ? await listTable(COUNTS_TABLE) : undefined;
  if (isFew && !items) throw new EdgeUnavailableError(`${COUNTS_TABLE} does not exist`);
  const counts: [string, Counts][] = [];
  for (const name of COUNTED.filter((one): one is Name => (names as readonly string[]).includes(one))) {
    const rows = await Promise.all(
      used.map((family) => {
        const set = setName(name, family);
        return items ? countedIn(items, set) : listCounted(COUNTS_TABLE, set);
      }),
    );
    counts.push([name, new Map(rows.flat().map(({ value, volume }) => [canonicalIp(value), volume]))]);
  }
  return Object.fromEntries(counts) as Record<Name, Counts>;
}

/**
 * Returns the totals of every target, dated at the middle of the reading: a process takes a while to start, and rates
 * are computed from the date.
 */
export async function readTotals(
  held: ReadonlyMap<string, Held>,
  clock: Clock,
): Promise<{ at: Date; rows: TargetTotals[] }> {
  const isFew = held.size <= FEW;
  const before = clock.now().getTime();
  const { passed, in: all } = await read(['passed', 'in'], held, isFew);
  const at = new Date((before + clock.now().getTime()) / 2);
  const rows = [...held].map(([id, { ip }]) => ({
    id,
    in: all.get(ip) ?? NOTHING,
    passed: passed.get(ip) ?? NOTHING,
    outBytes: null,
  }));
  return { at, rows };
}

/** Returns what each rule of the given targets has dropped. One process reads all rules. */
export async function readDropped(held: ReadonlyMap<string, Held>, ids: string[]): Promise<RuleCounters[]> {
  const asked = new Set(ids.filter((id) => (held.get(id)?.numbers.size ?? 0) > 0));
  if (asked.size === 0) return [];
  return (await listCounted(RULES_TABLE, DROPPED_SET)).flatMap(({ comment, volume: dropped }) => {
    const [targetId = '', id = ''] = idsOfCounter(comment) ?? [];
    return asked.has(targetId) ? [{ id, targetId, dropped }] : [];
  });
}

/** Returns the classes of the given targets. */
export async function readDetail(held: ReadonlyMap<string, Held>, ids: string[]): Promise<TargetDetail[]> {
  const asked = new Map(
    [...new Set(ids)].flatMap((id) => (held.has(id) ? [[id, held.get(id)!] as const] : [])),
  );
  const { in: all, passed: _, ...classes } = await read(COUNTED, asked, held.size <= FEW);
  return [...asked].map(([id, { ip }]) => {
    const whole = all.get(ip) ?? NOTHING;
    const rest = { ...whole };
    const entries = EDGE_CLASSES.map((name): [string, Volume] => {
      const volume = name === 'other' ? rest : (classes[name].get(ip) ?? NOTHING);
      if (name !== 'other') {
        rest.packets -= volume.packets;
        rest.bytes -= volume.bytes;
      }
      return [name, volume];
    });
    return { id, classes: Object.fromEntries(entries) as TargetDetail['classes'] };
  });
}
