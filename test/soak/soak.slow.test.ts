// Needs: a quarter of an hour; SOAK_MONTHS and --db choose how long, and the engine
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { soak } from './support/soak.ts';

// Machine code and its feedback grow by half a megabyte per month for a hundred months, which would hide a leak of the
// service.
for (const flag of ['--no-opt', '--no-maglev', '--no-sparkplug', '--no-lazy-feedback-allocation'])
  setFlagsFromString(flag);

const MONTHS = Number(process.env.SOAK_MONTHS ?? 40);

test('nothing in a process grows with the months that it serves', (t) =>
  soak(t, { warmUp: Math.ceil(MONTHS / 10), months: MONTHS, allowed: 0, heapBytes: 50_000 }));
