import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ENDPOINTS } from '../../server/endpoints/customer/index.ts';
import { OPERATOR_ENDPOINTS } from '../../server/endpoints/operator/index.ts';
import { PANEL_ENDPOINTS } from '../../server/endpoints/panel/index.ts';
import { buildOpenApi } from '../../server/http/openapi/build-openapi.ts';
import { CUSTOMER_DESCRIPTION } from '../../server/http/openapi/customer.ts';
import { OPERATOR_DESCRIPTION } from '../../server/http/openapi/operator.ts';
import { PANEL_DESCRIPTION } from '../../server/http/openapi/panel.ts';
import { FIELD_CODES } from '../../server/platform/field-codes.ts';

const ROOT = join(import.meta.dirname, '../..');

test('the codes of invalid fields are few, and each is in use', () => {
  const codes = Object.keys(FIELD_CODES);
  assert.ok(codes.length <= 25, `${codes.length} codes`);
  const sources = globSync('server/**/*.ts', { cwd: ROOT })
    .filter((path) => !path.endsWith('field-codes.ts'))
    .map((path) => readFileSync(join(ROOT, path), 'utf8'))
    .join('\n');
  assert.deepEqual(
    codes.filter((code) => !sources.includes(`'${code}'`)),
    [],
  );
});

test('every description publishes them with their meaning', () => {
  for (const { components } of [
    buildOpenApi(CUSTOMER_DESCRIPTION, ENDPOINTS),
    buildOpenApi(PANEL_DESCRIPTION, PANEL_ENDPOINTS),
    buildOpenApi(OPERATOR_DESCRIPTION, OPERATOR_ENDPOINTS),
  ]) {
    const { FieldCode, FieldProblem } = components.schemas;
    assert.deepEqual(FieldCode!.enum, Object.keys(FIELD_CODES));
    assert.deepEqual(FieldCode!['x-enumDescriptions'], FIELD_CODES);
    assert.equal(FieldProblem!.properties!.code!.$ref, '#/components/schemas/FieldCode');
  }
});
