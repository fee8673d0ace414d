// Needs: the npm registry.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { promisify } from 'node:util';
import { SCOPES } from '../acceptance/support/roster.ts';
import { start } from '../acceptance/support/start.ts';
import { newPublicKey } from '../acceptance/support/valid-calls.ts';
import { idle, newSubject, SMALL } from '../acceptance/support/world.ts';
import { defer, type Lifetime } from '../support/cleanup.ts';

/** `npm run test:slow -- pulumi`: the installed package, with a program that uses all of it. */

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

/**
 * Builds the package with the Pulumi in its own lock file, which is half of an installation and therefore not in the
 * workspaces.
 */
before(async () => {
  const tsc = (project: string) => run('npx', ['tsc', '-p', project], { cwd: ROOT });
  await tsc('sdk');
  await run('npm', ['--prefix', 'pulumi', 'ci', '--no-audit', '--no-fund'], { cwd: ROOT });
  await tsc('pulumi');
});

/** Returns a directory in which the packages are installed as for users: not as links, which Pulumi would resolve. */
function install(t: Lifetime): string {
  const directory = mkdtempSync(join(tmpdir(), 'vauban-pulumi-'));
  defer(t, () => rmSync(directory, { recursive: true }));
  for (const [name, from] of [
    ['client', 'sdk'],
    ['pulumi', 'pulumi'],
  ] as const) {
    const to = join(directory, 'node_modules/@vauban', name);
    mkdirSync(to, { recursive: true });
    for (const part of ['package.json', 'dist'])
      cpSync(join(ROOT, from, part), join(to, part), { recursive: true });
  }
  symlinkSync(join(ROOT, 'pulumi/node_modules/@pulumi'), join(directory, 'node_modules/@pulumi'));
  cpSync(join(import.meta.dirname, 'support/program.cjs'), join(directory, 'program.cjs'));
  return directory;
}

test('the example of docs/pulumi.md is a strict program', async (t) => {
  const directory = install(t);
  const markdown = readFileSync(join(ROOT, 'docs/pulumi.md'), 'utf8');
  const [example] = [...markdown.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code!);
  writeFileSync(join(directory, 'example.ts'), example!);
  symlinkSync(join(ROOT, 'node_modules/@types'), join(directory, 'node_modules/@types'));
  const words = ['--noEmit', '--strict', '--skipLibCheck', '--types', 'node', '--target', 'es2023'];
  const tsc = join(ROOT, 'pulumi/node_modules/typescript/bin/tsc');
  const module = ['--module', 'nodenext'];
  await run(process.execPath, [tsc, ...words, ...module, 'example.ts'], { cwd: directory });
});

test('the resources of Pulumi, asked in the order in which Pulumi asks', async (t) => {
  const directory = install(t);
  const {
    operator,
    client: program,
    baseUrl,
  } = await start(t, {
    env: { VAUBAN_SIMULATOR_BOOT_SECONDS: '0.05' },
  });
  const { account, client } = await newSubject(operator, program, { balance: 4_000 });
  const tenant_id = await operator.tenant(account);
  const edge = { ...SMALL, hostname: 'edge-1' };
  const { vm } = await client.ok<{ vm: { id: string; ipv4: string } }>('createVm', { body: edge });
  await idle(client, vm.id);
  const target_id = await operator.target(tenant_id, vm.ipv4);
  const env = {
    PATH: process.env.PATH,
    VAUBAN_URL: baseUrl(),
    VAUBAN_API_KEY: await operator.key(account, SCOPES),
  };
  const given = JSON.stringify({ publicKey: newPublicKey(), tenant_id, target_id });
  const { stdout } = await run(process.execPath, ['program.cjs', given], { cwd: directory, env });
  assert.equal(stdout, 'done\n');
  const orders = await client.ok<{ kind: string; amount_minor: number }[]>('listOrders');
  const [, ...kinds] = orders.toReversed().map(({ kind }) => kind);
  // The second pair is the VM that could not get its size and was refunded.
  assert.deepEqual(kinds, [
    ...['create', 'change_plan', 'create', 'delete_refund'],
    ...['create', 'change_custom', 'delete_refund', 'delete_refund'],
  ]);
  const paid = orders.reduce((sum, { amount_minor }) => sum + amount_minor, 0);
  const { available_minor } = await client.ok<{ available_minor: number }>('getWallet');
  assert.equal(available_minor, 4_000 - paid);
});
