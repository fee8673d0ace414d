import { canonicalIp } from '../../platform/cidr.ts';
import { elementsOf } from '../../platform/nftables/listing.ts';
import type { PortSample } from '../driver.ts';
import { destination, IS_WHOLE, ingress } from './layout.ts';
import { FAMILIES, type Family, isTemporary, RULES_TABLE, SAMPLE_TABLE_PREFIX } from './names.ts';
import { listTable, listTables } from './program.ts';

/** A little longer than the detector trusts a sample. */
const SAMPLE_SECONDS = 6;
/** After this time the kernel has stopped counting. */
export const SAMPLE_MS = SAMPLE_SECONDS * 1_000;
/**
 * Delay between a reading that found enough and the end of its sample, so that the rules written in response go
 * first.
 */
export const ENOUGH_MS = 500;
/**
 * Bounds the packets that a sample counts for all its targets. Each port still counts in proportion to its share of
 * the packets, and the largest flood costs no more than this.
 */
const SAMPLED = 'limit rate over 20000/second burst 20000 packets return';
/**
 * Packets that suffice to know the ports of a target. A sample with this many for each target is finished soon after
 * it is read.
 */
const ENOUGH = 2_000;
/** Source ports that a sample distinguishes, for all its targets; all others are counted together. */
const MAX_PORTS = 8_192;
/** Maximum number of simultaneous samples, each of which costs a lookup for every packet; the oldest is dropped. */
const MAX_TABLES = 8;
/** Between the chains that count and those that drop. */
const PRIORITY = -505;

interface Sampled {
  id: string;
  ip: string;
  family: Family;
}

interface Sample {
  table: string;
  targets: Sampled[];
  /** The final counts, once the table is gone. */
  counted?: PortSample[];
  /** True if a reading has already asked for the end of this sample. */
  isEnough?: true;
}

/**
 * Counts source ports. Each start creates a separate table in which the kernel stops counting on its own, so
 * restarting means creating another table, and discarding means deleting one. A table costs every incoming packet a
 * lookup even if it no longer counts, so it is deleted when its time is over and its counts are kept here.
 */
export class PortSamples {
  readonly #devices: readonly string[];
  readonly #apply: (lines: string[]) => Promise<void>;
  #samples: Sample[] = [];
  #made = 0;

  /** `apply` applies a batch, all of it or nothing. */
  constructor(devices: readonly string[], apply: (lines: string[]) => Promise<void>) {
    this.#devices = devices;
    this.#apply = apply;
  }

  /** Deletes these tables and all other temporary ones that an earlier process has left behind. */
  async clear(): Promise<void> {
    const names = (await listTables(RULES_TABLE)).filter(isTemporary);
    this.#samples = [];
    await this.#apply(names.map(deleteTable));
  }

  /** Starts counting for these targets. Returns the table; call {@link finish} with it after {@link SAMPLE_MS}. */
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
    await this.#apply([
      ...gone.flatMap(({ table: name }) => [`add table netdev ${name}`, deleteTable(name)]),
      ...this.#batch(table, targets),
    ]);
    this.#samples = [...kept, { table, targets }];
    return table;
  }

  /** Deletes the table of a sample whose time is over, so that packets no longer pass it. */
  async finish(table: string): Promise<void> {
    const sample = this.#samples.find((one) => one.table === table);
    // A sample that had counted enough was finished early.
    if (!sample || sample.counted) return;
    // Before the table is deleted, so that the counts are always available from the table or from here.
    sample.counted = (await readSample(sample)) ?? [];
    try {
      await this.#apply([`add table netdev ${table}`, deleteTable(table)]);
    } catch (error) {
      // The table still exists; the next sample to start deletes it.
      delete sample.counted;
      throw error;
    }
  }

  /**
   * Returns the counts of these targets, and tables that have counted enough and should be passed to {@link finish},
   * each only once.
   */
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

  /** For a sample whose table was deleted just before it was read. */
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
        // Later fragments have no port and are in neither set.
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

/** Returns the kernel's counts; undefined if the table is gone. */
async function readSample({ table, targets }: Sample): Promise<PortSample[] | undefined> {
  const items = await listTable(table);
  if (!items) return undefined;
  const elements = <Key>(name: string) =>
    FAMILIES.flatMap((family) => elementsOf<Element<Key>>(items, `${name}${family}`)).map(
      ({ elem: { val, counter } }) => ({ key: val.concat, counter }),
    );
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
