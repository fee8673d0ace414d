// Needs: an idle machine for hours; SOAK_MONTHS and --db choose how long, and the engine
import { test } from 'node:test';
import { soak } from './support/soak.ts';

/** Two hundred months take an idle machine half an hour. */
const MONTHS = Number(process.env.SOAK_MONTHS ?? 200);

test('nothing that a process holds grows with the months that it serves', (t) =>
  soak(t, { warmUp: Math.ceil(MONTHS / 10), months: MONTHS, allowed: 0, heapBytes: 50_000 }));
