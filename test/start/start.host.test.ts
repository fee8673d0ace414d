// Runs on both engines: a start opens a server or the embedded engine.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { openPglite } from '../../server/db/pglite.ts';
import { systemClock } from '../../server/platform/clock.ts';
import { fundedAccount } from '../billing/support.ts';
import { defer } from '../support/cleanup.ts';
import { type DatabaseLocation, engine, freshDatabaseLocation } from '../support/database.ts';
import { environment, failingStart, UNAVAILABLE, WRONG_CONFIGURATION } from '../support/failing-start.ts';
import { startService } from '../support/service.ts';
import { noSmallDisk, smallDisk } from '../support/small-disk.ts';
import { REPOSITORY } from '../support/source.ts';

/** Returns a port that another process listens on. */
async function busyAddress(t: TestContext): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  defer(t, () => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

for (const setting of ['VAUBAN_LISTEN', 'VAUBAN_OPERATOR_LISTEN']) {
  test(`a port in use (${setting}) is one sentence and does not cost the demo key`, async (t) => {
    const location = await freshDatabaseLocation(t, { migrated: false });
    const address = await busyAddress(t);
    const { status, stderr } = await failingStart(location, { [setting]: address });
    assert.equal(stderr, `${setting}: cannot listen on ${address}: another process is listening there\n`);
    assert.equal(status, UNAVAILABLE);
    const service = await startService(t, { location });
    assert.match(service.demoKey ?? 'none', /^vk_/);
  });
}

test('a database that cannot be used is one sentence without its password', async (t) => {
  const location = await freshDatabaseLocation(t);
  // A port that no service gets by chance.
  const closed = '127.0.0.1:1';
  const url = `postgres://vauban:hunter2@${closed}/vauban`;
  const { status, stderr } = await failingStart(location, { DATABASE_URL: url });
  assert.equal(stderr, `DATABASE_URL: cannot use the database on ${closed}: nothing is listening there\n`);
  assert.equal(status, UNAVAILABLE);
});

test('a missing socket is named as it is written in a shell', async (t) => {
  const location = await freshDatabaseLocation(t);
  const url = 'postgres://vauban@%2Fnowhere:5432/vauban';
  const { status, stderr } = await failingStart(location, { DATABASE_URL: url });
  assert.equal(
    stderr,
    'DATABASE_URL: cannot use the database on /nowhere:5432: nothing is listening there\n',
  );
  assert.equal(status, UNAVAILABLE);
});

test('a database that does not exist is named', {
  skip: engine === 'pglite' && 'a server only',
}, async (t) => {
  const location = await freshDatabaseLocation(t);
  const url = new URL(location.env.DATABASE_URL!);
  url.pathname = '/missing';
  const { status, stderr } = await failingStart(location, { DATABASE_URL: url.href });
  assert.match(stderr, /^DATABASE_URL: cannot use the database on \S+: database "missing" does not exist\n$/);
  assert.equal(status, UNAVAILABLE);
});

test('a catalog in another currency than the wallets is one sentence', async (t) => {
  const location = await freshDatabaseLocation(t);
  const db = await location.open();
  await fundedAccount(db, systemClock, 100n);
  await db.close();
  const directory = await mkdtemp(join(tmpdir(), 'vauban-currency-'));
  defer(t, () => rm(directory, { recursive: true }));
  const catalog = join(directory, 'catalog.yaml');
  const shipped = await readFile(join(REPOSITORY, 'catalog.yaml'), 'utf8');
  await writeFile(catalog, shipped.replace('currency: EUR', 'currency: USD'));
  const { status, stderr } = await failingStart(location, { VAUBAN_CATALOG: catalog });
  assert.equal(
    stderr,
    'catalog: sells in USD, but the wallets are in EUR: one installation has one currency\n',
  );
  assert.equal(status, WRONG_CONFIGURATION);
});

/** Runs the service in a terminal until it shows its banner, and returns the screen's content. */
async function screenOfStart(location: DatabaseLocation): Promise<string> {
  const command = `exec ${process.execPath} server/start.mjs`;
  const terminal = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd: REPOSITORY,
    env: environment(location, {}),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let screen = '';
  for await (const chunk of terminal.stdout.setEncoding('utf8')) {
    screen += chunk;
    // Like a person who has seen enough: Ctrl-C, which the terminal turns into a signal.
    if (screen.includes('billing/wallet\r\n') && terminal.stdin.writable) terminal.stdin.end('\x03');
  }
  return stripVTControlCharacters(screen).replaceAll('\r\n', '\n');
}

test('a terminal gets readable lines and a banner, and the demo key once', async (t) => {
  const location = await freshDatabaseLocation(t);
  const first = await screenOfStart(location);
  assert.doesNotMatch(first, /^\{/m, 'no JSON');
  assert.match(
    first,
    /^\d\d:\d\d:\d\d info {2}listening address=http:\/\/127\.0\.0\.1:\d+ panel=http:\/\/localhost:\d+\/panel$/m,
  );
  assert.match(first, /\d\d:\d\d:\d\d info {2}stopped$/m);
  const banner = (screen: string) => [...screen.matchAll(/^ {2}(\w+) {2,}(.*)$/gm)];
  assert.deepEqual(
    banner(first).map(([, name]) => name),
    ['Panel', 'Operator', 'API', 'Reference', 'Engine', 'Key', 'Next'],
  );
  const key = /vk_\w+/.exec(first)?.[0];
  assert.equal(first.split(key!).length, 3, 'where it is shown, and in the command to try');
  const second = await screenOfStart(location);
  assert.equal(banner(second).length, 7);
  assert.doesNotMatch(second, /sign-in\/link#/);
  assert.doesNotMatch(second, /vk_/);
});

test('a pipe gets JSON, line by line', async (t) => {
  const service = await startService(t);
  const lines = service.output().split('\n');
  assert.ok(lines.some((line) => JSON.parse(line).demo_key === service.demoKey));
});

test('a browser that opens the address finds the panel', async (t) => {
  const { baseUrl } = await startService(t);
  const page = await fetch(baseUrl, { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
  assert.equal(page.url, `${baseUrl}/panel/`);
  assert.equal(page.status, 200);
  // A program gets the same reply as for any unknown path.
  assert.equal((await fetch(baseUrl)).status, 401);
});

test('a disk without space for the database is one sentence, and the next start finds everything unchanged', {
  skip: noSmallDisk || (engine === 'postgres' && 'the embedded engine only'),
}, async (t) => {
  const disk = await smallDisk(t, 130);
  const location = { env: { VAUBAN_DATA_DIR: disk.directory }, open: () => openPglite(directory) };
  const directory = join(disk.directory, 'pglite');
  const refused = async (needed: number) => {
    const { status, stderr } = await failingStart(location, {});
    assert.match(
      stderr,
      new RegExp(
        `^VAUBAN_DATA_DIR: not enough space for the database in ${directory}: \\d+ MB are free, but it needs ${needed} MB\n$`,
      ),
    );
    assert.equal(status, UNAVAILABLE);
  };
  // Too little space for a new database, and none at all.
  for (const left of [20, 0]) {
    await disk.fill(left);
    await refused(80);
  }
  await disk.makeRoom();
  const first = await startService(t, { location });
  assert.match(first.demoKey ?? 'none', /^vk_/);
  await first.kill();
  await disk.fill();
  await refused(32);
  await disk.makeRoom();
  const second = await startService(t, { location });
  const reply = await fetch(`${second.baseUrl}/v1/billing/wallet`, {
    headers: { authorization: `Bearer ${first.demoKey}` },
  });
  assert.equal(reply.status, 200);
});
