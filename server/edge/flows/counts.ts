import { canonicalIp } from '../../platform/cidr.ts';
import { EDGE_CLASSES, type EdgeClass, type PortSample, type TargetDetail, type Volume } from '../driver.ts';
import type { Flow } from './line.ts';

type Classes = Record<EdgeClass, Volume>;

/** Ports of a protocol that a sample distinguishes. Bounded because an attacker chooses how many there are. */
const MOST_PORTS = 1_024;
const SAMPLE_MS = 30_000;

interface Sample {
  startedAt: number;
  ports: Map<string, PortSample['ports'][number]>;
  others: Record<'tcp' | 'udp', number>;
}

interface Counted {
  id: string;
  total: Classes;
  /** Traffic since the last step, and earlier traffic that is still being spread over steps. */
  fresh: Classes;
  spread: { each: Classes; left: number }[];
  sample: Sample | undefined;
}

const nothing = (): Classes =>
  Object.fromEntries(EDGE_CLASSES.map((name) => [name, { packets: 0, bytes: 0 }])) as Classes;

/**
 * Incoming traffic of targets according to flow records. An exporter reports a flow when it ends, or every so many
 * seconds, so its packets are spread over that many one-second steps; otherwise they would look like a burst.
 */
export class FlowCounts {
  readonly #steps: number;
  #byIp = new Map<string, Counted>();
  #byId = new Map<string, Counted>();

  constructor(steps: number) {
    this.#steps = steps;
  }

  /** Starts watching an address, in place of the target's previous one if there was another. */
  add(id: string, ip: string): void {
    const key = canonicalIp(ip);
    if (this.#byIp.get(key)?.id === id) return;
    this.remove(id);
    const counted: Counted = { id, total: nothing(), fresh: nothing(), spread: [], sample: undefined };
    this.#byIp.set(key, counted);
    this.#byId.set(id, counted);
  }

  remove(id: string): void {
    const counted = this.#byId.get(id);
    this.#byId.delete(id);
    for (const [ip, one] of this.#byIp) if (one === counted) this.#byIp.delete(ip);
  }

  /** Watches exactly these targets. */
  replace(targets: { id: string; ip: string }[]): void {
    const wanted = new Set(targets.map(({ id }) => id));
    for (const id of [...this.#byId.keys()]) if (!wanted.has(id)) this.remove(id);
    for (const { id, ip } of targets) this.add(id, ip);
  }

  /** Counts a flow; ignores one to an address that is not watched. */
  take({ ip, class: name, source, packets, bytes }: Flow, now: number): void {
    const counted =
      this.#byIp.get(ip) ?? (ip.includes(':') ? this.#byIp.get(safelyCanonical(ip)) : undefined);
    if (!counted) return;
    add(counted.fresh[name], { packets, bytes });
    const { sample } = counted;
    if (!sample || !source || now - sample.startedAt > SAMPLE_MS) return;
    const key = `${source.protocol} ${source.port}`;
    const known = sample.ports.get(key);
    if (known) add(known, { packets, bytes });
    else if (sample.ports.size < MOST_PORTS) sample.ports.set(key, { ...source, packets, bytes });
    else sample.others[source.protocol] += packets;
  }

  /** Advances by this many seconds. */
  step(seconds: number): void {
    for (const counted of this.#byId.values()) {
      counted.spread.push({ each: counted.fresh, left: this.#steps });
      counted.fresh = nothing();
      for (const part of counted.spread) {
        const share = Math.min(seconds, part.left) / this.#steps;
        part.left -= Math.min(seconds, part.left);
        for (const name of EDGE_CLASSES) {
          const { packets, bytes } = part.each[name];
          add(counted.total[name], { packets: share * packets, bytes: share * bytes });
        }
      }
      counted.spread = counted.spread.filter(({ left }) => left > 0);
    }
  }

  details(ids: Iterable<string> = this.#byId.keys()): TargetDetail[] {
    return [...new Set(ids)].flatMap((id) => {
      const counted = this.#byId.get(id);
      if (!counted) return [];
      const classes = EDGE_CLASSES.map((name) => {
        const { packets, bytes } = counted.total[name];
        return [name, { packets: Math.floor(packets), bytes: Math.floor(bytes) }];
      });
      return [{ id, classes: Object.fromEntries(classes) as Classes }];
    });
  }

  startSample(ids: string[], now: number): void {
    for (const id of ids) {
      const counted = this.#byId.get(id);
      if (counted) counted.sample = { startedAt: now, ports: new Map(), others: { tcp: 0, udp: 0 } };
    }
  }

  samples(ids: string[]): PortSample[] {
    return ids.flatMap((id) => {
      const sample = this.#byId.get(id)?.sample;
      return sample ? [{ id, ports: [...sample.ports.values()], others: { ...sample.others } }] : [];
    });
  }
}

function add(to: Volume, { packets, bytes }: Volume): void {
  to.packets += packets;
  to.bytes += bytes;
}

function safelyCanonical(ip: string): string {
  try {
    return canonicalIp(ip);
  } catch {
    return '';
  }
}
