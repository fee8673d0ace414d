import { after } from 'node:test';
import { edgeContract } from '../../server/edge/contract.ts';
import { SENT_PORT } from '../../server/edge/contract-harness.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { newId } from '../../server/platform/ids.ts';
import { frameOf } from './support/frames.ts';
import { EdgeNetwork, whyNot } from './support/network.ts';

const skip = whyNot();
const clock = new ManualClock();
/** Packets, sent as fast as possible, so that a limit of ten per second drops nearly all of them. */
const COUNT = 200;
let network: Promise<EdgeNetwork> | undefined;
const cleanups: (() => unknown)[] = [];
after(async () => {
  for (const clean of cleanups.reverse()) await clean();
});

edgeContract('nftables', {
  testTimeoutMs: 60_000,
  skip,
  async open() {
    network ??= EdgeNetwork.open({ after: (clean) => void cleanups.push(clean as never) });
    const edge = await network;
    const driver = edge.client();
    let used = 1;
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
        const frame = frameOf(
          {
            protocol: 17,
            source: family === 4 ? '192.0.2.7' : '2001:db8:f::7',
            sourcePort: SENT_PORT,
            destinationPort: 4_000,
            length: 468,
            flags: [],
            fragment: 'none',
          },
          ip,
        );
        await edge.send(Array.from({ length: COUNT }, () => frame));
      },
      reopen: async () => edge.client(),
      close: () => driver.close(),
    };
  },
});
