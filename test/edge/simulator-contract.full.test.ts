import { after } from 'node:test';
import { SimulatorTargets } from '../../server/db/queries/hosts/simulator-edge.ts';
import { edgeContract } from '../../server/edge/contract.ts';
import { SENT_PPS } from '../../server/edge/contract-harness.ts';
import { createEdgeSimulator } from '../../server/edge/simulator/simulator.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { newId } from '../../server/platform/ids.ts';
import { openTestDatabase } from '../compute/support.ts';

const db = await openTestDatabase();
after(() => db.close());

edgeContract('simulator', {
  testTimeoutMs: 60_000,
  async open() {
    const clock = new ManualClock();
    const driver = createEdgeSimulator({ store: new SimulatorTargets(db), clock });
    let used = 1;
    return {
      driver,
      target: () => ({ id: newId('tgt', clock), ip: `198.51.100.${++used}`, family: 4, rules: [] }),
      async send({ id }) {
        await driver.attacks!.start(id, { vector: 'ntp_amplification', pps: SENT_PPS, seconds: 2 });
        clock.advance(2_000);
      },
      reopen: async () => createEdgeSimulator({ store: new SimulatorTargets(db), clock }),
      close: async () => {},
    };
  },
});
