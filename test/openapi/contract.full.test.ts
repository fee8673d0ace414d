import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ENDPOINTS } from '../../server/endpoints/customer/index.ts';
import { OPERATOR_ENDPOINTS } from '../../server/endpoints/operator/index.ts';
import { PANEL_ENDPOINTS } from '../../server/endpoints/panel/index.ts';
import { buildOpenApi, formatOpenApi } from '../../server/http/openapi/build-openapi.ts';
import { CUSTOMER_DESCRIPTION } from '../../server/http/openapi/customer.ts';
import type { OpenApiDocument } from '../../server/http/openapi/document.ts';
import { OPERATOR_DESCRIPTION } from '../../server/http/openapi/operator.ts';
import { PANEL_DESCRIPTION } from '../../server/http/openapi/panel.ts';
import type { AnyOperation } from '../../server/http/operation.ts';
import { looseReplies, operationsOf, wrongExamples } from './document-checks.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Each description: its source, and its file. */
const DESCRIPTIONS: { file: string; endpoints: readonly AnyOperation[]; document: OpenApiDocument }[] = [
  { file: 'openapi.json', endpoints: ENDPOINTS, document: buildOpenApi(CUSTOMER_DESCRIPTION, ENDPOINTS) },
  {
    file: 'operator-openapi.json',
    endpoints: OPERATOR_ENDPOINTS,
    document: buildOpenApi(OPERATOR_DESCRIPTION, OPERATOR_ENDPOINTS),
  },
  {
    file: 'panel-openapi.json',
    endpoints: PANEL_ENDPOINTS,
    document: buildOpenApi(PANEL_DESCRIPTION, PANEL_ENDPOINTS),
  },
];

test('openapi.json is what the endpoints say', () => {
  // Not assert.equal: a diff of two files of this size is slow to compute and hard to read.
  const isCurrent =
    readFileSync(`${root}openapi.json`, 'utf8') ===
    formatOpenApi(buildOpenApi(CUSTOMER_DESCRIPTION, ENDPOINTS));
  assert.ok(isCurrent, 'openapi.json is out of date: run `npm run generate` and commit the result');
});

test('the descriptions pass the linter', () => {
  // These two are not committed.
  for (const { file, document } of DESCRIPTIONS.slice(1)) writeFileSync(root + file, formatOpenApi(document));
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['node_modules/@redocly/cli/bin/cli.js', 'lint', '--config', 'redocly.yaml', '--max-problems', '20'],
    {
      cwd: root,
      encoding: 'utf8',
      timeout: 300_000,
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    },
  );
  assert.equal(status, 0, stdout + stderr);
});

for (const { file, endpoints, document } of DESCRIPTIONS) {
  test(`${file}: every endpoint is one operation`, () => {
    const described = operationsOf(document).map(({ name, operation }) => `${operation.operationId} ${name}`);
    const defined = endpoints.map(({ operation, method, path }) => `${operation} ${method} ${path}`);
    assert.deepEqual(described.sort(), defined.sort());
  });

  test(`${file}: every example fits its schema`, () => assert.deepEqual(wrongExamples(document), []));

  test(`${file}: every reply is closed and complete`, () => assert.deepEqual(looseReplies(document), []));
}
