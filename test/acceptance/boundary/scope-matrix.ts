import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '../support/client.ts';
import { OPERATIONS } from '../support/document.ts';
import { SCOPES } from '../support/roster.ts';
import type { Installation } from '../support/start.ts';

/**
 * Which scope opens which endpoint, as found by trying. After a change that is meant, make the file again and
 * have it reviewed: WRITE_SCOPE_MATRIX=1 npm test -- test/acceptance/boundary.full.test.ts --db pglite
 */
const FILE = join(import.meta.dirname, '../scope-matrix.txt');
const NAME_WIDTH = 44;

/** What a key that is let in gets of a request for what does not exist. */
const LET_IN = ['ok', 'not_found', 'validation_failed', 'invalid_json', 'idempotency_key_missing'];

/** For each operation the scopes with which it answers anything but 403. */
async function probe(clients: Map<string, Client>): Promise<{ name: string; opens: string[] }[]> {
  const rows = [];
  for (const { method, path } of OPERATIONS) {
    const target = path.replace(/\{\w+\}/g, 'vm_00000000000000000000000000');
    const request = {
      method,
      target,
      ...(method !== 'GET' && { headers: { 'content-type': 'application/json' }, body: '{' }),
    };
    const opens = [];
    for (const [scope, client] of clients) {
      const { code = 'ok' } = await client.send(request);
      if (code === 'scope_required') continue;
      assert.ok(LET_IN.includes(code), `${method} ${path} with ${scope}: ${code}`);
      opens.push(scope);
    }
    rows.push({ name: `${method.padEnd(6)} ${path}`, opens });
  }
  return rows;
}

/** A line for each operation and a column for each scope, headed by its two halves. */
function render(rows: { name: string; opens: string[] }[]): string {
  const halves = SCOPES.map((scope) => scope.split(':') as [string, string]);
  const widths = halves.map((half) => Math.max(...half.map((word) => word.length)) + 1);
  const line = (name: string, cells: string[]) =>
    `${name.padEnd(NAME_WIDTH)} ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join('')}`.trimEnd();
  const head = [0, 1].map((half) =>
    line(
      '',
      halves.map((words) => words[half]!),
    ),
  );
  const body = rows.map(({ name, opens }) =>
    line(
      name,
      SCOPES.map((scope) => (opens.includes(scope) ? 'x' : '.')),
    ),
  );
  return `${[...head, ...body].join('\n')}\n`;
}

/** Each endpoint is opened by its scope and by no other. */
export async function scopeMatrix({ operator, client }: Installation): Promise<void> {
  const account = await operator.account('scopes');
  const clients = new Map<string, Client>();
  for (const scope of SCOPES) clients.set(scope, client.withKey(await operator.key(account, [scope])));
  const rows = await probe(clients);
  const matrix = render(rows);
  if (process.env.WRITE_SCOPE_MATRIX === '1') await writeFile(FILE, matrix);
  assert.equal(matrix, await readFile(FILE, 'utf8'));
  const documented = OPERATIONS.map(({ scope }) => [scope]);
  assert.deepEqual(
    rows.map(({ opens }) => opens),
    documented,
  );
}
