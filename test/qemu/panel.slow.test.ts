// Needs: root, QEMU, Chromium.
import { test } from 'node:test';
import { whyNot } from '../compute/routed/support/env.ts';
import { NO_STORY } from '../panel/browser/story/stage.ts';
import { skipWithoutTinyImage } from '../support/tiny-image.ts';
import { runAtSite } from './support/site.ts';

const skip = NO_STORY || whyNot() || (await skipWithoutTinyImage());

test("a customer's story in a browser, on a real guest", { skip }, (t) =>
  runAtSite(t, 'panel/browser/story.test.ts', { VAUBAN_TEST_COMPUTE: 'qemu' }),
);
