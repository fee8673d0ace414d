import {
  EDGE_CLASSES,
  type EdgeDriver,
  type EdgeTarget,
  type TargetDetail,
  type Volume,
} from '../../server/edge/driver.ts';
import type { Clock } from '../../server/platform/clock.ts';
import { openShield, type TestTarget } from './support.ts';

type TestContext = Parameters<typeof openShield>[0];
const LOOK_MS = 250;

interface Counted {
  in: Volume;
  passed: Volume;
  hasRules: boolean;
}

/** An edge whose counters the test moves: all that comes in is UDP, and any rule of a target drops all of it. */
export class ScriptedEdge {
  readonly #counted = new Map<string, Counted>();
  readonly driver: EdgeDriver;

  constructor(clock: Clock) {
    const dated = <Row>(rows: Row[]) => ({ epoch: 'scripted', at: clock.now(), rows });
    const put = ({ id, rules }: EdgeTarget) => {
      const none = { packets: 0, bytes: 0 };
      const counted = this.#counted.get(id) ?? { in: none, passed: none, hasRules: false };
      this.#counted.set(id, { ...counted, hasRules: rules.length > 0 });
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
      startPortSample: async () => {},
      readPortSamples: async () => [],
      blackhole: async () => {},
      close: async () => {},
    };
  }

  receive(id: string, packets: number, length: number): void {
    const counted = this.#counted.get(id)!;
    const plus = ({ packets: before, bytes }: Volume) => ({
      packets: before + packets,
      bytes: bytes + packets * length,
    });
    this.#counted.set(id, {
      ...counted,
      in: plus(counted.in),
      passed: counted.hasRules ? counted.passed : plus(counted.passed),
    });
  }
}

/** A shield on a scripted edge, four looks a second. */
export async function openScripted(t: TestContext) {
  let edge: ScriptedEdge | undefined;
  const shield = await openShield(t, (clock) => {
    edge = new ScriptedEdge(clock);
    return edge.driver;
  });
  const { clock } = shield.api.services;
  return {
    ...shield,
    receive: (target: TestTarget, packets: number, length: number) =>
      edge!.receive(target.id, packets, length),
    /** A look when `comesIn` has been asked, each millisecond, for what comes in. */
    async quarter(comesIn: (ms: number) => void = () => {}) {
      const from = clock.now().getTime();
      for (let ms = 0; ms < LOOK_MS; ms++) comesIn(from + ms);
      clock.advance(LOOK_MS);
      await shield.look();
    },
  };
}
