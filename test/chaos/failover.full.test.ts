import { test } from 'node:test';
import { skipWithoutPatroni } from '../support/patroni.ts';
import { outliveFailovers } from './support/failovers.ts';

test(
  'losing the primary costs no money and no job, and the service recovers automatically',
  {
    skip: skipWithoutPatroni(),
  },
  (t) => outliveFailovers(t, 1),
);
