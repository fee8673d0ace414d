import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '../support/client.ts';
import { OPERATIONS } from '../support/document.ts';
import { SCOPES } from '../support/roster.ts';
import type { Installation } from '../support/start.ts';

/**
 * Tries which scope grants which endpoint. After an intended change, write the file again and have it reviewed:
 * WRITE_SCOPE_MATRIX=1 npm test -- test/acceptance/boundary.full.test.ts --db pglite
 */
const FILE = join(import.meta.dirname, '../scope-matrix.txt');
const NAME_WIDTH = 44;

interface Row {
  name: string;
  scope: string;
}

/** The outcomes that mean access was granted, for a request about something that does not exist. */
const LET_IN = ['ok', 'not_found', 'validation_failed', 'invalid_json', 'idempotency_key_missing'];

/**
 * Finds the scope that grants each operation: it is allowed with that scope alone and refused with all the others
 * together, so no other scope grants it.
 */
async function probe(only: Map<string, Client>, without: Map<string, Client>): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { method, path, scope } of OPERATIONS) {
    const target = path.replace(/\{\w+\}/g, 'vm_00000000000000000000000000');
    const request = {
      method,
      target,
      ...(method !== 'GET' && { headers: { 'content-type': 'application/json' }, body: '{' }),
    };
    const { code = 'ok' } = await only.get(scope)!.send(request);
    assert.ok(LET_IN.includes(code), `${method} ${path} with ${scope}: ${code}`);
    const refused = await without.get(scope)!.send(request);
    assert.equal(refused.code, 'scope_required', `${method} ${path} without ${scope}`);
    rows.push({ name: `${method.padEnd(6)} ${path}`, scope });
  }
  return rows;
}

/** Formats a line for each operation and a column for each scope, with the two halves of its name as a heading. */
function render(rows: Row[]): string {
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
  const body = rows.map((row) =>
    line(
      row.name,
      SCOPES.map((scope) => (row.scope === scope ? 'x' : '.')),
    ),
  );
  return `${[...head, ...body].join('\n')}\n`;
}

/** Checks that each endpoint is granted by its scope and by no other. */
export async function scopeMatrix({ operator, client }: Installation): Promise<void> {
  const account = await operator.account('scopes');
  const only = new Map<string, Client>();
  const without = new Map<string, Client>();
  for (const scope of SCOPES) {
    const others = SCOPES.filter((other) => other !== scope);
    only.set(scope, client.withKey(await operator.key(account, [scope])));
    without.set(scope, client.withKey(await operator.key(account, others)));
  }
  const matrix = render(await probe(only, without));
  if (process.env.WRITE_SCOPE_MATRIX === '1') await writeFile(FILE, matrix);
  assert.equal(matrix, await readFile(FILE, 'utf8'));
}
