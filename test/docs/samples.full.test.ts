import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { COMMANDS } from '../../cli/src/commands/index.ts';
import { readDocument, readGuides } from '../../site/build.ts';
import { postmanCollection } from '../../site/render/postman.ts';
import { type Entry, rosterOf } from '../../site/render/roster.ts';
import { samplesOf } from '../../site/render/samples.ts';
import type { Client } from '../acceptance/support/client.ts';
import { match, REPOSITORY } from '../acceptance/support/document.ts';
import { SCOPES } from '../acceptance/support/roster.ts';
import { start } from '../acceptance/support/start.ts';
import { type Ids, newPublicKey } from '../acceptance/support/valid-calls.ts';
import { furnish, idle, newSubject, protect, type Subject } from '../acceptance/support/world.ts';
import { type Cli, cliAt } from '../cli/support/cli.ts';
import { LAST } from '../clients/support/sequence.ts';
import { defer } from '../support/cleanup.ts';

const run = promisify(execFile);
const document = await readDocument();

/** The others depend on these. */
const FIRST = ['addSshKey', 'createVm'];
const ORDER = rosterOf(document).sort((a, b) => rank(a) - rank(b));

function rank({ id }: Entry): number {
  return FIRST.includes(id) ? -2 - FIRST.indexOf(id) : LAST.indexOf(id);
}

/** The person who tries the samples: an account, a key, and the objects that the samples have created so far. */
interface Reader {
  subject: Subject;
  url: string;
  key: string;
  ids: Ids;
  /** The protected address. */
  ip: string;
}

/** Returns a sample with the ids of existing objects instead of its own. */
function withIds(text: string, { ids, ip }: Reader): string {
  const byPrefix: Record<string, string | undefined> = {
    vm: ids.vm,
    fwr: ids.firewall,
    pfr: ids['port-forwarding'],
    snap: ids.snapshots,
    shr: ids['console-shares'],
    key: ids.sshkeys,
    inv: ids.invoices,
    ten: ids.tenants,
    tgt: ids.targets,
    rul: ids.rules,
  };
  return text
    .replace(/\b([a-z]+)_[0-9a-z]{26}\b/g, (id, prefix: string) => byPrefix[prefix] ?? id)
    .replaceAll('203.0.113.7', ip);
}

/** Runs every sample of a kind in order, on a VM that the first of them creates. */
async function runAll(reader: Reader, runOne: (entry: Entry) => Promise<void>): Promise<void> {
  const { client } = reader.subject;
  for (const entry of ORDER) {
    await runOne(entry);
    if (entry.id === 'createVm') Object.assign(reader, await equipped(reader));
    if (entry.id !== 'deleteVm') await idle(client, reader.ids.vm!);
  }
}

/** Creates one of everything except the VM, which was already bought. */
async function equipped({ subject }: Reader): Promise<Pick<Reader, 'ids' | 'ip'>> {
  const { client } = subject;
  const [vm] = await client.ok<{ id: string; ipv4: string }[]>('listVms');
  await idle(client, vm!.id);
  const body = { name: 'other', public_key: newPublicKey() };
  const key = await client.ok<{ id: string }>('addSshKey', { body });
  const [invoice] = await client.ok<{ id: string }[]>('listInvoices');
  const shield = await protect(subject, vm!.ipv4);
  const ids = { ...(await furnish(client, vm!.id)), ...shield, sshkeys: key.id, invoices: invoice!.id };
  return { ids, ip: vm!.ipv4 };
}

test('every sample of the reference does as documented', async (t) => {
  const home = await mkdtemp(join(tmpdir(), 'vauban-samples-'));
  defer(t, () => rm(home, { recursive: true }));
  const { operator, client, baseUrl } = await start(t);
  const newReader = async (): Promise<Reader> => {
    const subject = await newSubject(operator, client as Client);
    const key = await operator.key(subject.account, SCOPES);
    return { subject, url: baseUrl(), key, ids: {}, ip: '' };
  };

  await t.test('curl', async () => {
    const reader = await newReader();
    // Prints the status after the reply.
    await writeFile(join(home, '.curlrc'), 'silent\nshow-error\nwrite-out = "\\n%{http_code}"\n');
    const env = { PATH: process.env.PATH, HOME: home, VAUBAN_URL: reader.url, VAUBAN_API_KEY: reader.key };
    await runAll(reader, async (entry) => {
      const command = withIds(samplesOf(document, entry).curl, reader);
      const { stdout } = await run('bash', ['--norc', '-c', command], { env });
      assert.match(stdout, /\n200$/, `${command}\n${stdout.slice(-500)}`);
    });
  });

  await t.test('vauban', async () => {
    const reader = await newReader();
    await mkdir(join(home, '.ssh'));
    await writeFile(join(home, '.ssh/id_ed25519.pub'), `${newPublicKey()}\n`);
    const cli = cliAt(reader.url, reader.key);
    await runAll(reader, async (entry) => {
      const { question } = COMMANDS[entry.id as keyof typeof COMMANDS];
      await asTyped(cli, home, withIds(samplesOf(document, entry).cli, reader) + (question ? ' --yes' : ''));
    });
  });

  await t.test('TypeScript', async (t) => {
    const reader = await newReader();
    Object.assign(process.env, { VAUBAN_URL: reader.url, VAUBAN_API_KEY: reader.key });
    defer(t, async () => {
      delete process.env.VAUBAN_URL;
      delete process.env.VAUBAN_API_KEY;
    });
    t.mock.method(console, 'log', () => {});
    const asked: (string | undefined)[] = [];
    const { fetch } = globalThis;
    t.mock.method(globalThis, 'fetch', (url: string, init: RequestInit) => {
      asked.push(match(init.method!, url.slice(reader.url.length))?.id);
      return fetch(url, init);
    });
    await runAll(reader, async (entry) => {
      asked.length = 0;
      const file = join(home, `${entry.id}.mts`);
      await writeFile(file, asModule(withIds(samplesOf(document, entry).typescript, reader)));
      await import(pathToFileURL(file).href);
      assert.equal(asked[0], entry.id);
    });
  });

  await t.test('the collection for Postman', async () => {
    const reader = await newReader();
    const requests = requestsOf(postmanCollection(document, rosterOf(document)));
    await runAll(reader, async (entry) => {
      const { status, text } = await send(requests.get(entry.operation.summary)!, reader);
      assert.equal(status, 200, `${entry.id}: ${text}`);
    });
  });
});

test('the TypeScript of reference and guides compiles strictly', async (t) => {
  const home = await mkdtemp(join(tmpdir(), 'vauban-sample-types-'));
  defer(t, () => rm(home, { recursive: true }));
  const programs = [
    ...ORDER.map((entry) => samplesOf(document, entry).typescript),
    ...(await readGuides()).flatMap(({ text }) =>
      [...text.matchAll(/```ts\n(.*?)```/gs)].map(([, program]) => program!),
    ),
  ];
  for (const [n, program] of programs.entries())
    await writeFile(join(home, `sample-${n}.mts`), asModule(program));
  const compilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true },
    ...{
      target: 'es2024',
      module: 'nodenext',
      types: ['node'],
      typeRoots: [join(REPOSITORY, 'node_modules/@types')],
    },
  };
  await writeFile(join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.mts'] }));
  await run(join(REPOSITORY, 'node_modules/.bin/tsc'), ['-p', home]).catch(({ stdout }) =>
    assert.fail(stdout),
  );
});

/** Returns a reader's program with the package as a module that imports the SDK from here. */
function asModule(program: string): string {
  const client = pathToFileURL(join(REPOSITORY, 'sdk/src/index.ts')).pathname;
  return program.replace("'@vauban/client'", `'${client}'`);
}

/** Runs a line as a shell splits it; questions are answered in advance. */
async function asTyped(cli: Cli, home: string, line: string): Promise<void> {
  const { stdout } = await run('bash', ['--norc', '-c', `vauban() { printf '%s\\0' "$@"; }\n${line}`], {
    env: { HOME: home },
  });
  const { code, stderr } = await cli(stdout.split('\0').slice(0, -1));
  assert.equal(code, 0, `${line}: ${stderr}`);
}

interface PostmanRequest {
  method: string;
  url: { raw: string };
  header: { key: string; value: string }[];
  body?: { raw: string };
}

function requestsOf(collection: object): Map<string, PostmanRequest> {
  const { item } = collection as { item: { item: { name: string; request: PostmanRequest }[] }[] };
  return new Map(item.flatMap((folder) => folder.item).map(({ name, request }) => [name, request]));
}

/** Sends a request of the collection like Postman, with its variables set. */
async function send(
  { method, url, header, body }: PostmanRequest,
  { url: base_url, key, ids }: Reader,
): Promise<{ status: number; text: string }> {
  const variables: Record<string, string | undefined> = {
    base_url,
    vm_id: ids.vm,
    firewall_rule_id: ids.firewall,
    port_forward_id: ids['port-forwarding'],
    snapshot_id: ids.snapshots,
    console_share_id: ids['console-shares'],
    ssh_key_id: ids.sshkeys,
    invoice_id: ids.invoices,
    tenant_id: ids.tenants,
    target_id: ids.targets,
    shield_rule_id: ids.rules,
    $guid: crypto.randomUUID(),
  };
  const filled = (text: string) =>
    text.replace(/\{\{(\$?\w+)\}\}/g, (_, name: string) => variables[name] ?? '');
  const reply = await fetch(filled(url.raw), {
    method,
    headers: [
      ['authorization', `Bearer ${key}`],
      ...header.map(({ key: name, value }): [string, string] => [name, filled(value)]),
    ],
    ...(body && { body: filled(body.raw) }),
  });
  return { status: reply.status, text: await reply.text() };
}
