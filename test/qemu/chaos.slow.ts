import { test } from 'node:test';
import { whyNot } from '../compute/routed/support/world.ts';
import { skipWithoutTinyImage } from '../support/tiny-image.ts';
import { runAtSite } from './support/site.ts';

const skip = whyNot() || (await skipWithoutTinyImage());
/** Minutes on an idle machine: for one that is busy with much else. */
const options = { skip, timeout: 3_600_000 };

test('chaos among real machines: the service killed at every step', options, (t) =>
  runAtSite(t, 'kill-sweep.ts'),
);
test('chaos among real machines: what befalls a host', options, (t) => runAtSite(t, 'mishaps.ts'));
