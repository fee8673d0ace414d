import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { InsufficientFundsError } from '../../sdk/src/index.ts';
import { type FakeVaubanOptions, fakeVauban } from '../../sdk/src/testing.ts';
import { defer } from '../support/cleanup.ts';

const REPOSITORY = join(import.meta.dirname, '../..');

/** Makes an empty directory the place for files that services write. */
function ownTemporaryDirectory(t: TestContext): string {
  const before = process.env.TMPDIR;
  const directory = mkdtempSync(join(tmpdir(), 'vauban-sdk-'));
  process.env.TMPDIR = directory;
  defer(t, () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    rmSync(directory, { recursive: true });
  });
  return directory;
}

const start = (options: FakeVaubanOptions = {}) => fakeVauban({ server: REPOSITORY, ...options });

test('a separate service, with real money, jobs and errors', async (t) => {
  const directory = ownTemporaryDirectory(t);
  const attempts: string[] = [];
  await using fake = await start({
    env: { VAUBAN_SIMULATOR_BOOT_SECONDS: '0.05' },
    client: { onAttempt: ({ method, url }) => void attempts.push(`${method} ${new URL(url).pathname}`) },
  });
  const { client } = fake;
  const before = await client.billing.wallet();
  const { vm, job, order } = await client.vms.create({
    plan: 's1',
    template: 'debian-12',
    hostname: 'web-1',
  });
  assert.equal((await client.waitForJob(job))?.status, 'running');
  const after = await client.billing.wallet();
  assert.equal(after.available_minor, before.available_minor - order.amount_minor);
  // The demo account has money for only one of these.
  const large = { plan: 'd8', template: 'debian-12' };
  await client.vms.create({ ...large, hostname: 'web-2' });
  await assert.rejects(client.vms.create({ ...large, hostname: 'web-3' }), InsufficientFundsError);
  await client.waitForJob((await client.vms.delete(vm.id)).job);
  assert.ok(attempts.includes('POST /v1/vm'), attempts.join());
  await fake.stop();
  await fake.stop();
  assert.deepEqual(readdirSync(directory), [], 'nothing is left');
  await assert.rejects(fetch(fake.baseUrl));
});

test('two at once know nothing of each other', async (t) => {
  ownTemporaryDirectory(t);
  await using first = await start();
  await using second = await start();
  await first.client.sshKeys.add({ name: 'laptop', public_key: KEY });
  assert.equal((await first.client.sshKeys.list().toArray()).length, 1);
  assert.equal((await second.client.sshKeys.list().toArray()).length, 0);
});

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8oX6VbIqJ1ViUAsk4n6u6Yw2w3k1m1TzUoJqVpG2bX';

test('a failed start says why, and leaves nothing', async (t) => {
  const directory = ownTemporaryDirectory(t);
  await assert.rejects(
    start({ env: { VAUBAN_LISTEN: 'nowhere' } }),
    /ended before it listened\n.*VAUBAN_LISTEN/s,
  );
  await assert.rejects(fakeVauban({ server: directory }), /is not a directory of Vauban/);
  await assert.rejects(fakeVauban(), /set the directory of Vauban with `server` or VAUBAN_SERVER/);
  assert.deepEqual(readdirSync(directory), []);
});

test('a Node that cannot be run is an error, and leaves nothing', async (t) => {
  const server = mkdtempSync(join(tmpdir(), 'vauban-sdk-server-'));
  defer(t, () => rmSync(server, { recursive: true }));
  const directory = ownTemporaryDirectory(t);
  for (const file of ['server/start.mjs', 'node_modules/.bin/node']) {
    mkdirSync(dirname(join(server, file)), { recursive: true });
    writeFileSync(join(server, file), '');
  }
  await assert.rejects(fakeVauban({ server }), { code: 'EACCES' });
  assert.deepEqual(readdirSync(directory), []);
});
