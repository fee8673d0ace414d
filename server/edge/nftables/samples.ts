import { canonicalIp } from '../../platform/cidr.ts';
import type { PortSample } from '../driver.ts';
import { destination, IS_WHOLE, ingress } from './layout.ts';
import { FAMILIES, type Family, isTemporary, RULES_TABLE, SAMPLE_TABLE_PREFIX } from './names.ts';
import { apply, listTable, listTables, NotThereError, type TableItem } from './program.ts';

/** A little longer than a sample is believed. */
const SAMPLE_SECONDS = 6;
/** After so long the kernel has stopped to count. */
export const SAMPLE_MS = SAMPLE_SECONDS * 1_000;
/** From a reading that found enough to the end of its sample: what is written against what it showed goes first. */
export const ENOUGH_MS = 500;
/**
 * What a sample counts of all its targets: every port is as likely to be counted as its share of the packets, and the largest
 * flood costs no more than this.
 */
const SAMPLED = 'limit rate over 20000/second burst 20000 packets return';
/** Packets of a target by which its ports are known: a sample that has so many of each is finished soon after it was read. */
const ENOUGH = 2_000;
/** Source ports that a sample tells apart, of all its targets; what comes from others is counted together. */
const MAX_PORTS = 8_192;
/** Samples at a time, each of which costs every packet a look; the oldest gives way. */
const MAX_TABLES = 8;
/** Behind what counts, in front of what drops. */
const PRIORITY = -505;

interface Sampled {
  id: string;
  ip: string;
  family: Family;
}

interface Sample {
  table: string;
  targets: Sampled[];
  /** What was counted, once the table is gone. */
  counted?: PortSample[];
  /** Whether its end was asked for when it was last read. */
  isEnough?: true;
}

/**
 * Counts of source ports. Each time that some are begun they get a table of their own, in which the kernel stops to
 * count by itself, so that to start over is to make another and to forget is to delete one. A table costs every packet that
 * comes in a look, whether it still counts or not: it goes when its time is over, and what it counted is kept here.
 */
export class PortSamples {
  readonly #devices: readonly string[];
  readonly #signature: string;
  #samples: Sample[] = [];
  #made = 0;

  constructor(devices: readonly string[], signature: string) {
    this.#devices = devices;
    this.#signature = signature;
  }

  /** Deletes these and all other tables that a process before this one has left and was to delete. */
  async clear(): Promise<void> {
    const names = (await listTables(RULES_TABLE)).filter(isTemporary);
    this.#samples = [];
    if (names.length > 0) await apply(names.map(deleteTable), this.#signature);
  }

  /** Begins to count for these; the table, for {@link finish} to be called when {@link SAMPLE_MS} are over. */
  async start(targets: Sampled[]): Promise<string | undefined> {
    if (targets.length === 0) return undefined;
    const ids = new Set(targets.map(({ id }) => id));
    const others = this.#samples.map((sample) => ({
      ...sample,
      targets: sample.targets.filter(({ id }) => !ids.has(id)),
    }));
    const kept = others.filter(({ targets: of }) => of.length > 0).slice(1 - MAX_TABLES);
    const gone = this.#samples.filter(
      ({ table, counted }) => !counted && !kept.some((one) => one.table === table),
    );
    const table = `${SAMPLE_TABLE_PREFIX}${++this.#made}`;
    await apply(
      [
        ...gone.flatMap(({ table: name }) => [`add table netdev ${name}`, deleteTable(name)]),
        ...this.#batch(table, targets),
      ],
      this.#signature,
    );
    this.#samples = [...kept, { table, targets }];
    return table;
  }

  /** Takes the table of a sample whose time is over out of the way of packets. */
  async finish(table: string): Promise<void> {
    const sample = this.#samples.find((one) => one.table === table);
    // One that had counted enough was finished before its time was over.
    if (!sample || sample.counted) return;
    // Before the table goes, so that there is no moment in which neither has it.
    sample.counted = (await readSample(sample)) ?? [];
    try {
      await apply([`add table netdev ${table}`, deleteTable(table)], this.#signature);
    } catch (error) {
      // It is still there, for the next that is begun to delete.
      delete sample.counted;
      throw error;
    }
  }

  /** What was counted of these, and tables that have counted enough: for {@link finish}, each once. */
  async read(ids: string[]): Promise<{ samples: PortSample[]; enough: string[] }> {
    const wanted = new Set(ids);
    const asked = this.#samples.filter(({ targets }) => targets.some(({ id }) => wanted.has(id)));
    const enough: string[] = [];
    const read = await Promise.all(
      asked.map(async (sample) => {
        const counted = sample.counted ?? (await readSample(sample)) ?? this.#countedBy(sample);
        if (sample.counted || sample.isEnough || !counted.every((each) => packetsOf(each) >= ENOUGH))
          return counted;
        sample.isEnough = true;
        enough.push(sample.table);
        return counted;
      }),
    );
    return { samples: read.flat().filter(({ id }) => wanted.has(id)), enough };
  }

  /** Of one whose table went while it was to be read. */
  #countedBy({ table }: Sample): PortSample[] {
    return this.#samples.find((one) => one.table === table)?.counted ?? [];
  }

  #batch(table: string, targets: Sampled[]): string[] {
    const at = `netdev ${table}`;
    return [
      `add table ${at}`,
      `add chain ${at} ingress { ${ingress(this.#devices, PRIORITY)} }`,
      ...FAMILIES.flatMap((family) => {
        const of = targets.filter((target) => target.family === family);
        const { type, field } = destination(family);
        if (of.length === 0) return [];
        const live = of.map(({ ip }) => `${canonicalIp(ip)} timeout ${SAMPLE_SECONDS}s`);
        const counted = `flags dynamic; size ${MAX_PORTS}; counter;`;
        // Later fragments have no port; none is in either.
        const only = `${IS_WHOLE[family]} meta l4proto { 6, 17 }`;
        const chain = `${at} sample${family}`;
        return [
          `add set ${at} live${family} { type ${type}; flags timeout; elements = { ${live.join(', ')} }; }`,
          `add set ${at} totals${family} { type ${type} . inet_proto; ${counted} }`,
          `add set ${at} ports${family} { type ${type} . inet_proto . inet_service; ${counted} }`,
          `add chain ${chain}`,
          `add rule ${chain} ${SAMPLED}`,
          `add rule ${chain} ${only} th sport 0-65535 update @totals${family} { ${field} . meta l4proto }`,
          `add rule ${chain} ${only} update @ports${family} { ${field} . meta l4proto . th sport }`,
          `add rule ${at} ingress ${field} @live${family} goto sample${family}`,
        ];
      }),
    ];
  }
}

const deleteTable = (name: string) => `delete table netdev ${name}`;

interface Element<Key> {
  elem: { val: { concat: Key }; counter: { packets: number; bytes: number } };
}
type Protocol = 'tcp' | 'udp';

const packetsOf = ({ ports, others }: PortSample) =>
  ports.reduce((sum, { packets }) => sum + packets, others.tcp + others.udp);

/** What the kernel has counted; undefined where the table is gone. */
async function readSample({ table, targets }: Sample): Promise<PortSample[] | undefined> {
  const items = await listTable(table).catch((error): TableItem[] | undefined => {
    if (error instanceof NotThereError) return undefined;
    throw error;
  });
  if (!items) return undefined;
  const elements = <Key>(name: string) =>
    FAMILIES.flatMap(
      (family) =>
        (items.find(({ set }) => set?.name === `${name}${family}`)?.set?.elem ?? []) as Element<Key>[],
    ).map(({ elem: { val, counter } }) => ({ key: val.concat, counter }));
  const totals = Map.groupBy(elements<[string, Protocol]>('totals'), ({ key }) => canonicalIp(key[0]));
  const ports = Map.groupBy(elements<[string, Protocol, number]>('ports'), ({ key }) => canonicalIp(key[0]));
  return targets.map(({ id, ip }) => {
    const found = (ports.get(canonicalIp(ip)) ?? []).map(({ key: [, protocol, port], counter }) => ({
      protocol,
      port,
      packets: counter.packets,
      bytes: counter.bytes,
    }));
    const others = { tcp: 0, udp: 0 };
    for (const { key, counter } of totals.get(canonicalIp(ip)) ?? []) others[key[1]] += counter.packets;
    for (const { protocol, packets } of found) others[protocol] -= packets;
    return { id, ports: found, others: { tcp: Math.max(0, others.tcp), udp: Math.max(0, others.udp) } };
  });
}
