import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parse } from 'yaml';
import { table } from '../../cli/src/output/table.ts';
import { bytes, money } from '../../cli/src/output/values.ts';
import { yaml } from '../../cli/src/output/yaml.ts';
import { safe, safeJson, safeLines } from '../../shared/safe-text.ts';

const HOSTILE = 'a\u001b]0;title\u0007\u009b2J\r\nb\u202ec\u{e0041}\u200b';

test('no control sequence is printed to a terminal', () => {
  assert.equal(safe(HOSTILE), 'a\\x1b]0;title\\x07\\x9b2J\\x0d\\x0ab\\u{202e}c\\u{e0041}\\u{200b}');
  assert.equal(safeLines('a\n\tb\u001b'), 'a\n\tb\\x1b');
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 0x10ffff })), (codes) => {
      const text = String.fromCodePoint(...codes);
      assert.doesNotMatch(safe(text), /[\p{Cc}\p{Cf}]/u);
      assert.equal(JSON.parse(safeJson(text)), text);
      assert.doesNotMatch(safeJson(text), /[\p{Cc}\p{Cf}]/u);
    }),
  );
});

test('text that would be invisible is shown, and emoji in colour stay', () => {
  for (const hidden of ['\u3164', '\u1160', '\u034f', '\u180b', '\u2065', '\u{e0100}', '\u{e0fff}']) {
    assert.match(safe(`web${hidden}`), /^web\\u\{[0-9a-f]+\}$/);
    assert.equal(JSON.parse(safeJson(hidden)), hidden);
    assert.ok(!safeJson(hidden).includes(hidden));
  }
  assert.equal(safe('\u2601\ufe0f web'), '\u2601\ufe0f web');
});

test('YAML round-trips', () => {
  const value = { vms: [{ id: 'vm_1', tags: [], at: null, on: true, ports: [[1, 2], [3]] }], empty: {} };
  assert.deepEqual(parse(yaml(value).join('\n')), value);
  fc.assert(
    fc.property(fc.jsonValue(), (given) => {
      // JSON does not distinguish the two zeros.
      const json = JSON.parse(JSON.stringify(given));
      assert.deepEqual(parse(yaml(json).join('\n')), json);
    }),
  );
});

test('a table is as wide as its widest cells, with numbers at the right', () => {
  const items = [
    { name: 'a\nb', size_gb: 5, price_minor: 499, currency: 'EUR' },
    { name: 'ü', size_gb: 100, price_minor: 12_345, currency: 'EUR' },
  ];
  assert.deepEqual(table(['name', 'size_gb', 'price_minor'], items), [
    'NAME    SIZE GB       PRICE',
    'a\\x0ab        5    4.99 EUR',
    'ü           100  123.45 EUR',
  ]);
});

test('amounts and sizes are exact in critical places', () => {
  assert.deepEqual(
    [money(-5, 'EUR'), money(500, 'JPY'), money(1234, 'KWD'), money(0, 'EUR')],
    ['-0.05 EUR', '500 JPY', '1.234 KWD', '0.00 EUR'],
  );
  assert.deepEqual(
    [bytes(0), bytes(1023), bytes(1536), bytes(2 ** 40)],
    ['0 B', '1023 B', '1.5 KiB', '1.0 TiB'],
  );
});
