import type { Section } from '../bench.ts';
import { httpRequest, startLoadGenerator } from '../load.ts';
import { type Disturbance, measureNeighbour } from '../neighbour.ts';

/** As many as one account may send: 300 a minute. */
const BODIES_A_SECOND = 5;
/** Just below the 96 KiB limit of a purchase. */
const KEYS = 30_000;

const SENT_FOR_SECONDS = 60;

/** A customer who sends purchases with as many mistakes as possible, as often as the limits allow. */
const wrongBodies: Disturbance = {
  name: 'purchases with 90 KB of mistakes',
  async begin({ port }, { keys }) {
    const load = startLoadGenerator();
    const body = { plan: 's1', template: 'debian-12', hostname: 'web-1', ssh_key_ids: Array(KEYS).fill({}) };
    const requests = [httpRequest('POST', '/v1/vm', keys[0]!, body)];
    const order = { port, requests, inFlight: 4, perSecond: BODIES_A_SECOND, seconds: SENT_FOR_SECONDS };
    load.send({ ...order, anyStatus: true }).catch(() => {});
    return () => load[Symbol.dispose]();
  },
};

export const bodyCost: Section = {
  name: 'body-cost',
  about: "a neighbour's requests while another customer sends bodies that are wrong all over",
  run: (bench) => measureNeighbour(bench, { ...wrongBodies, creates: true }),
};
