import {
  EDGE_CLASSES,
  type EdgeDriver,
  type EdgeRule,
  type EdgeTarget,
  type TargetDetail,
  type Volume,
} from '../../server/edge/driver.ts';
import type { Clock } from '../../server/platform/clock.ts';
import { openShield, type TestTarget } from './support.ts';

type TestContext = Parameters<typeof openShield>[0];
const LOOK_MS = 250;

/** The time for which the kernel counts a port sample. */
const SAMPLE_MS = 6_000;

interface Counted {
  in: Volume;
  passed: Volume;
  rules: EdgeRule[];
  sample?: { at: number; ports: Map<number, Volume> };
}

/**
 * An edge whose counters the test controls. All traffic is UDP, and a target's rule drops all of it or the traffic from
 * its source ports. A port sample counts traffic with ports for a while.
 */
export class ScriptedEdge {
  readonly #counted = new Map<string, Counted>();
  readonly #clock: Clock;
  readonly driver: EdgeDriver;

  constructor(clock: Clock) {
    this.#clock = clock;
    const dated = <Row>(rows: Row[]) => ({ epoch: 'scripted', at: clock.now(), rows });
    const put = ({ id, rules }: EdgeTarget) => {
      const none = { packets: 0, bytes: 0 };
      const counted = this.#counted.get(id) ?? { in: none, passed: none };
      this.#counted.set(id, { ...counted, rules });
      return { targets: 1, rules: rules.length };
    };
    this.driver = {
      name: 'scripted',
      readEveryMs: LOOK_MS,
      probe: async () => ({ ok: true, summary: 'scripted' }),
      capabilities: () => ({
        rateUnits: ['pps', 'bps'],
        ordering: 'priority',
        limitsSources: false,
        counts: true,
        maxRulesPerTarget: 1_000,
        prefixes: null,
      }),
      async reconcile(targets) {
        for (const target of targets) put(target);
        return { targets: targets.length, rules: 0 };
      },
      putTarget: async (target) => put(target),
      removeTarget: async (id) => void this.#counted.delete(id),
      readTotals: async () =>
        dated(
          [...this.#counted].map(([id, { in: all, passed }]) => ({ id, in: all, passed, outBytes: null })),
        ),
      readDetail: async (ids) =>
        dated(
          ids.map((id) => {
            const none = { packets: 0, bytes: 0 };
            const classes = Object.fromEntries(
              EDGE_CLASSES.map((name) => [name, name === 'udp' ? this.#counted.get(id)!.in : none]),
            );
            return { id, classes: classes as TargetDetail['classes'] };
          }),
        ),
      readRuleCounters: async () => dated([]),
      startPortSample: async (ids) => {
        const at = clock.now().getTime();
        for (const id of ids) this.#counted.get(id)!.sample = { at, ports: new Map() };
      },
      readPortSamples: async (ids) =>
        ids.flatMap((id) => {
          const { sample } = this.#counted.get(id)!;
          if (!sample || sample.ports.size === 0) return [];
          const ports = [...sample.ports].map(([port, volume]) => ({
            protocol: 'udp' as const,
            port,
            ...volume,
          }));
          return [{ id, ports, others: { tcp: 0, udp: 0 } }];
        }),
      blackhole: async () => {},
      close: async () => {},
    };
  }

  receive(id: string, packets: number, length: number, sourcePort?: number): void {
    const counted = this.#counted.get(id)!;
    const plus = ({ packets: before, bytes }: Volume) => ({
      packets: before + packets,
      bytes: bytes + packets * length,
    });
    const { sample } = counted;
    if (sample && sourcePort !== undefined && this.#clock.now().getTime() - sample.at < SAMPLE_MS)
      sample.ports.set(sourcePort, plus(sample.ports.get(sourcePort) ?? { packets: 0, bytes: 0 }));
    const isDropped = counted.rules.some(
      ({ match: { sourcePorts } }) => sourcePorts.length === 0 || sourcePorts.includes(`${sourcePort}`),
    );
    this.#counted.set(id, {
      ...counted,
      in: plus(counted.in),
      passed: isDropped ? counted.passed : plus(counted.passed),
    });
  }
}

/** Opens a shield on a scripted edge, with four looks per second. */
export async function openScripted(t: TestContext) {
  let edge: ScriptedEdge | undefined;
  const shield = await openShield(t, (clock) => {
    edge = new ScriptedEdge(clock);
    return edge.driver;
  });
  const { clock } = shield.api.services;
  return {
    ...shield,
    receive: (target: TestTarget, packets: number, length: number, sourcePort?: number) =>
      edge!.receive(target.id, packets, length, sourcePort),
    /** Calls `comesIn` once per millisecond to receive traffic, then looks once. */
    async quarter(comesIn: (ms: number) => void = () => {}) {
      const from = clock.now().getTime();
      for (let ms = 0; ms < LOOK_MS; ms++) comesIn(from + ms);
      clock.advance(LOOK_MS);
      await shield.look();
    },
  };
}
