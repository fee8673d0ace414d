// Needs: root, QEMU.
import { test } from 'node:test';
import { whyNot } from '../compute/routed/support/env.ts';
import { skipWithoutTinyImage } from '../support/tiny-image.ts';
import { runAtSite } from './support/site.ts';

const skip = whyNot() || (await skipWithoutTinyImage());

for (const suite of ['boundary', 'conformity'])
  test(`the acceptance suite on real guests: ${suite}`, { skip }, (t) =>
    runAtSite(t, `acceptance/${suite}.test.ts`, { VAUBAN_TEST_COMPUTE: 'qemu' }),
  );
