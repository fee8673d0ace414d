// Needs: root, QEMU.
import { test } from 'node:test';
import { whyNot } from '../compute/routed/support/env.ts';
import { skipWithoutTinyImage } from '../support/tiny-image.ts';
import { runAtSite } from './support/site.ts';

const skip = whyNot() || (await skipWithoutTinyImage());

test('chaos among real guests: the service killed at every step', { skip }, (t) =>
  runAtSite(t, 'qemu/inside/kill-sweep.ts'),
);
test('chaos among real guests: mishaps of a host', { skip }, (t) => runAtSite(t, 'qemu/inside/mishaps.ts'));
test('chaos among real guests: a host and its losses', { skip }, (t) =>
  runAtSite(t, 'qemu/inside/host-losses.ts'),
);
