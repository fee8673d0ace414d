import assert from 'node:assert/strict';
import { test } from 'node:test';
import { one, sql } from '../../server/db/database.ts';
import { InstantInput, instantFrom } from '../../server/endpoints/customer/shared/instant-query.ts';
import { endpoint } from '../../server/http/endpoint.ts';
import { compileChecks } from '../../server/http/validation.ts';
import { Type } from '../../server/platform/schema.ts';
import { freshDatabase } from '../support/database.ts';

const checks = compileChecks(
  endpoint({
    audience: 'customer',
    operation: 'test',
    method: 'GET',
    path: '/test',
    scope: 'vm:read',
    tag: 'vm',
    summary: 'Test',
    query: Type.Object({ at: InstantInput('Any instant') }),
    data: Type.Unsafe<null>({ type: 'null' }),
    errors: [],
    example: null,
    handle: async () => ({ data: null }),
  }),
);

test('an accepted time means the same to the database', async (t) => {
  const db = await freshDatabase(t);
  for (const [text, meant] of [
    ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31T12:00:00.123456789+05:30', '2026-01-31T06:30:00.123Z'],
    ['2024-02-29T23:59:59-00:00', '2024-02-29T23:59:59.000Z'],
    ['1000-01-01T00:00:00+23:59', '0999-12-31T00:01:00.000Z'],
    ['2999-12-31T23:59:59-23:59', '3000-01-01T23:58:59.000Z'],
  ] as const) {
    assert.equal(checks.refusal({ at: text }, {}), undefined);
    const { at } = await one<{ at: Date }>(db, sql`select ${instantFrom(text)}::timestamptz as at`);
    assert.equal(at.toISOString(), meant);
  }
  assert.equal(instantFrom(undefined), undefined);
});

for (const text of [
  '2026-01-31',
  '2026-01-31T12:00:00',
  '2026-01-31 12:00:00Z',
  '2026-01-31T12:00:00+05',
  '2016-12-31T23:59:60Z',
  '2026-02-30T00:00:00Z',
  '2026-01-31T24:00:00Z',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59-05:00',
  'yesterday',
]) {
  test(`${text} is not accepted as a time`, () => {
    assert.equal(checks.refusal({ at: text }, {})?.code, 'validation_failed');
  });
}
