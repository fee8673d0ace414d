import { test } from 'node:test';
import { whyNot } from '../compute/routed/support/world.ts';
import { runAtSite } from './support/site.ts';

test('a real machine, end to end', { skip: whyNot() }, (t) => runAtSite(t, 'end-to-end.ts'));
