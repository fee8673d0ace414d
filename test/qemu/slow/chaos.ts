// Some minutes of real guests that are cut short in every way: npm test -- test/qemu/slow/chaos.ts --db pglite
import { test } from 'node:test';
import { whyNot } from '../../compute/routed/support/world.ts';
import { runAtSite } from '../support/site.ts';

test('chaos among real machines', { skip: whyNot() }, (t) => runAtSite(t, 'chaos.ts'));
