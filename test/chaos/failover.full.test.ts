import { test } from 'node:test';
import { skipWithoutPatroni } from '../support/patroni.ts';
import { outliveFailovers } from './support/failovers.ts';

test(
  'the loss of the primary costs no money and no job, and the service goes on by itself',
  {
    skip: skipWithoutPatroni(),
  },
  (t) => outliveFailovers(t, 1),
);
