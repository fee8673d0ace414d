import { generateKey } from '../../server/access/api-key.ts';
import type { Section } from '../bench.ts';
import { httpRequest, startLoadGenerator } from '../load.ts';
import { type Disturbance, measureNeighbour } from '../neighbour.ts';

const GUESSES_A_SECOND = 500;
const KEYS = 2_000;
const IN_FLIGHT = 16;
const SENT_FOR_SECONDS = 60;

/** A stranger sends well-formed unknown keys, more than the limit for their address. */
const guesses: Disturbance = {
  name: `${GUESSES_A_SECOND} unknown keys a second`,
  async begin({ port }) {
    const load = startLoadGenerator();
    const requests = Array.from({ length: KEYS }, () => httpRequest('GET', '/v1/vm', generateKey()));
    const order = {
      port,
      requests,
      inFlight: IN_FLIGHT,
      perSecond: GUESSES_A_SECOND,
      seconds: SENT_FOR_SECONDS,
    };
    load.send({ ...order, anyStatus: true }).catch(() => {});
    return () => load[Symbol.dispose]();
  },
};

export const unknownKeys: Section = {
  name: 'unknown-keys',
  about: "a neighbour's requests while unknown keys are tried",
  run: (bench) => measureNeighbour(bench, guesses),
};
