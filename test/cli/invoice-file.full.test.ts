import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SCOPES } from '../acceptance/support/roster.ts';
import { start } from '../acceptance/support/start.ts';
import { newSubject, newVm } from '../acceptance/support/world.ts';
import { defer } from '../support/cleanup.ts';
import { cliAt } from './support/cli.ts';

const PDF = Buffer.from([0x25, 0x50, 0x44, 0x46, 0xff, 0x00, 0x80]);

test('an issued invoice is saved byte for byte, and never over an existing file', async (t) => {
  // A real invoice needs a month to pass; test/documents tests how the service creates them.
  const invoice = { id: `inv_${'1'.repeat(26)}`, number: '../../INV-2026-1' };
  const page = { data: [invoice], pagination: { limit: 100, next_cursor: null, has_more: false } };
  const service = createServer(({ url, headers }, response) => {
    if (headers.accept === 'application/pdf') response.end(PDF);
    else response.end(JSON.stringify(url!.includes(invoice.id) ? { data: invoice } : page));
  }).listen(0, '127.0.0.1');
  defer(t, () => service.close());
  await once(service, 'listening');
  const cli = cliAt(`http://127.0.0.1:${(service.address() as AddressInfo).port}`, 'vk_for_this_test');
  const directory = mkdtempSync(join(tmpdir(), 'vauban-invoice-'));
  const before = process.cwd();
  process.chdir(directory);
  defer(t, () => {
    process.chdir(before);
    rmSync(directory, { recursive: true });
  });

  const saved = await cli(['billing', 'download', invoice.number]);
  assert.equal(saved.code, 0, saved.stderr);
  const [name, ...others] = readdirSync('.');
  assert.deepEqual([name, others], ['______INV-2026-1.pdf', []]);
  assert.deepEqual(readFileSync(name!), PDF);
  const again = await cli(['billing', 'download', invoice.number]);
  assert.equal(again.code, 2);
  assert.match(again.stderr, /EEXIST/);
  assert.equal((await cli(['billing', 'download', invoice.id, '--to', 'mine.pdf'])).code, 0);
  assert.deepEqual(readFileSync('mine.pdf'), PDF);
  assert.equal((await cli(['billing', 'download', invoice.id, '--format', 'txt'])).code, 2);
});

test('an invoice that is not issued yet cannot be saved', async (t) => {
  const { operator, client: program, baseUrl } = await start(t);
  const { account, client } = await newSubject(operator, program);
  await newVm(client, 'web-1');
  const [draft] = await client.ok<{ id: string }[]>('listInvoices');
  const cli = cliAt(baseUrl(), await operator.key(account, SCOPES));
  const refused = await cli(['billing', 'download', draft!.id, '--to', '-']);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /document_unavailable/);
  assert.equal(refused.stdout, '');
});
