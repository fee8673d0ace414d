import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missingLetters } from '../../server/documents/letters.ts';
import { COUNTRIES } from '../../server/documents/texts/countries-de.ts';
import { textsOf } from '../../server/documents/texts/texts.ts';
import { COUNTRY_NAMES } from '../../server/domain/tax/country-names.ts';

test('a German document names countries in German, each of them, in letters that it can print', () => {
  assert.deepEqual(
    ['DE', 'GR', 'XI', 'ZZ'].map((code) => textsOf('de').country(code)),
    ['Deutschland', 'Griechenland', 'Nordirland', 'ZZ'],
  );
  assert.equal(textsOf('en').country('DE'), 'Germany');
  assert.deepEqual(Object.keys(COUNTRIES), Object.keys(COUNTRY_NAMES));
  assert.deepEqual(missingLetters(Object.values(COUNTRIES).join()), []);
});
