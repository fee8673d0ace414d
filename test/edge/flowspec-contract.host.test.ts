import { after } from 'node:test';
import { edgeContract } from '../../server/edge/contract.ts';
import { SENT_PORT } from '../../server/edge/contract-harness.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { newId } from '../../server/platform/ids.ts';
import { frameOf } from './support/frames.ts';
import { EdgeNetwork } from './support/network.ts';
import { TestRouter, whyNoRouter } from './support/router.ts';

const clock = new ManualClock();
/** Packets, sent as fast as possible: more bytes than any limit of the contract allows. */
const COUNT = 200;
let opened: Promise<{ network: EdgeNetwork; router: TestRouter }> | undefined;
const cleanups: (() => unknown)[] = [];
after(async () => {
  for (const clean of cleanups.reverse()) await clean();
});

async function openOnce() {
  const lifetime = { after: (clean: unknown) => void cleanups.push(clean as never) };
  const network = await EdgeNetwork.open(lifetime);
  const router = await TestRouter.open(lifetime, network);
  await router.connected();
  return { network, router };
}

let used = 1;
edgeContract('flowspec', {
  testTimeoutMs: 60_000,
  skip: whyNoRouter(),
  async open() {
    opened ??= openOnce();
    const { network, router } = await opened;
    const driver = router.edge();
    return {
      driver,
      target: () => {
        const number = ++used;
        const isSix = number % 2 === 1;
        return {
          id: newId('tgt', clock),
          ip: isSix ? `2001:db8:b::${number.toString(16)}` : `203.0.113.${number}`,
          family: isSix ? (6 as const) : (4 as const),
          rules: [],
        };
      },
      async send({ ip, family }) {
        await router.follow();
        const frame = frameOf(
          {
            protocol: 17,
            source: family === 4 ? '198.51.100.7' : '2001:db8:f::7',
            sourcePort: SENT_PORT,
            destinationPort: 4_000,
            length: 468,
            flags: [],
            fragment: 'none',
          },
          ip,
        );
        await network.send(Array.from({ length: COUNT }, () => frame));
      },
      seen: ({ ip }) => router.totals(ip),
      reopen: async () => router.edge(),
      async close() {
        await driver.reconcile([]);
        await driver.close();
      },
    };
  },
});
