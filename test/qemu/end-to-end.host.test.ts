import { test } from 'node:test';
import { whyNot } from '../compute/routed/support/env.ts';
import { skipWithoutTinyImage } from '../support/tiny-image.ts';
import { runAtSite } from './support/site.ts';

const skip = whyNot() || (await skipWithoutTinyImage());

test('a real guest, end to end', { skip }, (t) => runAtSite(t, 'qemu/inside/end-to-end.ts'));
