import type { Clock } from '../../platform/clock.ts';
import { EDGE_CLASSES, type TargetDetail, type TargetTotals, type Volume } from '../driver.ts';
import type { Held } from './batch.ts';
import { COUNTED, COUNTS_TABLE, type Counted, canonical, FAMILIES, setName } from './names.ts';
import { listCounted } from './program.ts';

type Counts = Map<string, Volume>;
const NOTHING: Volume = { packets: 0, bytes: 0 };

/** What a set has counted, of every family in which there is a target, by address. */
async function read(counted: Counted, held: ReadonlyMap<string, Held>): Promise<Counts> {
  const used = FAMILIES.filter((family) => [...held.values()].some((one) => one.family === family));
  const rows = await Promise.all(used.map((family) => listCounted(COUNTS_TABLE, setName(counted, family))));
  return new Map(rows.flat().map(({ value, volume }) => [canonical(value), volume]));
}

/**
 * Totals of every target. Packets go on while it reads: what passed is read first, so that it is part of what came in. It
 * is of the instant at which what came in was read, as rates are worked out from that: a program takes its time to start.
 */
export async function readTotals(
  held: ReadonlyMap<string, Held>,
  clock: Clock,
): Promise<{ at: Date; rows: TargetTotals[] }> {
  const passed = await read('passed', held);
  const before = clock.now().getTime();
  const all = await read('in', held);
  const at = new Date((before + clock.now().getTime()) / 2);
  const rows = [...held].map(([id, { ip }]) => ({
    id,
    in: all.get(ip) ?? NOTHING,
    passed: passed.get(ip) ?? NOTHING,
    outBytes: null,
  }));
  return { at, rows };
}

/** Classes of the given targets. The whole is read last, so that no class is more than it. */
export async function readDetail(held: ReadonlyMap<string, Held>, ids: string[]): Promise<TargetDetail[]> {
  const asked = new Map(
    [...new Set(ids)].flatMap((id) => (held.has(id) ? [[id, held.get(id)!] as const] : [])),
  );
  const names = COUNTED.filter((name) => name !== 'in' && name !== 'passed');
  const classes = new Map(
    await Promise.all(names.map(async (name): Promise<[string, Counts]> => [name, await read(name, asked)])),
  );
  const all = await read('in', asked);
  return [...asked].map(([id, { ip }]) => {
    const whole = all.get(ip) ?? NOTHING;
    const rest = { ...whole };
    const entries = EDGE_CLASSES.map((name): [string, Volume] => {
      const volume = name === 'other' ? rest : (classes.get(name)!.get(ip) ?? NOTHING);
      if (name !== 'other') {
        rest.packets -= volume.packets;
        rest.bytes -= volume.bytes;
      }
      return [name, volume];
    });
    return { id, classes: Object.fromEntries(entries) as TargetDetail['classes'] };
  });
}
