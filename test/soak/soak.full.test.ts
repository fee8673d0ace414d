// Runs on both engines: each has connections, statements and caches of its own.
import { test } from 'node:test';
import { soak } from './support/soak.ts';

test('nothing in a process grows with the requests that it answers', (t) =>
  soak(t, { warmUp: 1, months: 2, allowed: 250, heapBytes: 3_000_000 }));
