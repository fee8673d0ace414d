// Needs: root, QEMU, the image debian-12.
import { test } from 'node:test';
import { whyNot } from '../compute/routed/support/env.ts';
import { skipWithoutDebian } from '../support/tiny-image.ts';
import { runAtSite } from './support/site.ts';

const skip = whyNot() || (await skipWithoutDebian());

/** The same tests as with tiny, with a guest as a hoster sells it. */
test('a full Debian, end to end', { skip }, (t) =>
  runAtSite(t, 'qemu/inside/end-to-end.ts', { VAUBAN_TEST_IMAGE: 'debian-12' }),
);
