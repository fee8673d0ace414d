// Needs: PostgreSQL, Patroni, etcd.
import { test } from 'node:test';
import { skipWithoutPatroni } from '../support/patroni.ts';
import { outliveFailovers } from './support/failovers.ts';

// Run manually: npm test -- test/chaos/failover.slow.test.ts --db pglite
test(
  'five failovers, each member killed and brought back',
  {
    skip: skipWithoutPatroni(),
  },
  (t) => outliveFailovers(t, 5),
);
