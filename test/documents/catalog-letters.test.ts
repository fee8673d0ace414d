import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PLAIN_LOOK } from '../../server/documents/look.ts';
import { createLogger } from '../../server/platform/logging.ts';
import { warnOfLetters } from '../../server/start/start-log.ts';
import { catalog } from '../billing/support.ts';

test('a start names letters of the catalog that documents cannot show, and is silent without any', async () => {
  const said: string[] = [];
  const logger = createLogger({ logLevel: 'warn' }, { write: (line: string) => void said.push(line) });
  const seller = { name: 'Größe & Żółć', street: 'Αθηνάς 1', city: 'Köln', country: 'DE', footer: 'A\nB' };
  await warnOfLetters({ catalog: { ...catalog, seller }, look: PLAIN_LOOK, logger });
  assert.deepEqual(said, []);
  const plans = [{ ...catalog.plans[0]!, name: '共有 S1' }];
  const add_ons = [{ code: 'backup', name: '控え', price_monthly: '1.00', max_quantity: 1 }];
  const japanese = { ...seller, name: '株式会社' };
  const sold = { ...catalog, plans, add_ons, seller: japanese };
  await warnOfLetters({ catalog: sold, look: PLAIN_LOOK, logger });
  assert.equal(said.length, 1);
  assert.equal(JSON.parse(said[0]!).letters, '株式会社共有控え');
});
