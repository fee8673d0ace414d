import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { emitTerraform } from '../../scripts/emit-terraform.ts';
import { ENDPOINTS } from '../../server/endpoints/customer/index.ts';
import { buildOpenApi } from '../../server/http/openapi/build-openapi.ts';
import { CUSTOMER_DESCRIPTION } from '../../server/http/openapi/customer.ts';

test('terraform/tables.json matches the endpoints', () => {
  const stored = readFileSync(join(import.meta.dirname, '../../terraform/tables.json'), 'utf8');
  const isCurrent = stored === emitTerraform(buildOpenApi(CUSTOMER_DESCRIPTION, ENDPOINTS));
  assert.ok(isCurrent, 'terraform/tables.json is out of date: run `npm run generate` and commit the result');
});
