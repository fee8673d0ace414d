import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { defer } from '../../support/cleanup.ts';
import { KEY, openSetting, runningGuest, type Setting } from './support.ts';

/** Long enough for any machine: a client that is still running by then will never end. */
const LIMIT = { timeout: 300_000 };

const NO_CLIENT =
  spawnSync('scp').error && process.env.CI === undefined ? 'openssh-client is not installed' : false;

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Exposes the guest's port 22 on loopback, and runs OpenSSH's programs there with the guest's key. */
async function openssh(t: TestContext, { driver }: Setting, id: string) {
  const directory = mkdtempSync(join(tmpdir(), 'vauban-openssh-'));
  defer(t, () => rmSync(directory, { recursive: true }));
  const key = join(directory, 'key');
  writeFileSync(key, KEY.private, { mode: 0o600 });
  const server = createServer(async (socket) => {
    socket.on('error', () => {});
    const guest = await driver.openSsh(id);
    guest.on('error', () => {});
    socket.pipe(guest).pipe(socket);
    socket.on('close', () => guest.destroy());
    guest.on('close', () => socket.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  defer(t, () => server.close());
  const { port } = server.address() as AddressInfo;
  const options = [
    'BatchMode=yes',
    'StrictHostKeyChecking=no',
    'UserKnownHostsFile=/dev/null',
    'LogLevel=ERROR',
  ];
  const common = [
    '-F',
    '/dev/null',
    '-i',
    key,
    '-P',
    `${port}`,
    ...options.flatMap((option) => ['-o', option]),
  ];
  const run = async (program: 'scp' | 'sftp', args: string[], input = ''): Promise<Ended> => {
    const child = spawn(program, [...common, ...args], { cwd: directory });
    defer(t, () => child.kill());
    const exited = once(child, 'close');
    child.stdin.end(input);
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    await exited;
    return { code: child.exitCode, stdout, stderr };
  };
  return { directory, run };
}

test("OpenSSH's scp and sftp", { ...LIMIT, skip: NO_CLIENT }, async (t) => {
  const setting = await openSetting(t);
  const { directory, run } = await openssh(t, setting, await runningGuest(setting));
  const host = 'debian@127.0.0.1';
  const path = (name: string) => join(directory, name);
  const content = Buffer.alloc(700_000, 'every byte of it\n');
  writeFileSync(path('up.bin'), content);

  await t.test('scp copies a file there and back, and ends', async () => {
    assert.deepEqual(await run('scp', ['up.bin', `${host}:copy.bin`]), { code: 0, stdout: '', stderr: '' });
    assert.deepEqual(await run('scp', [`${host}:copy.bin`, 'down.bin']), { code: 0, stdout: '', stderr: '' });
    assert.ok(readFileSync(path('down.bin')).equals(content));
  });

  await t.test('scp copies directories, with times and modes', async () => {
    mkdirSync(path('tree/inner'), { recursive: true });
    writeFileSync(path('tree/one'), 'one');
    writeFileSync(path('tree/inner/two'), 'two');
    assert.deepEqual(await run('scp', ['-rp', 'tree', `${host}:`]), { code: 0, stdout: '', stderr: '' });
    assert.deepEqual(await run('scp', ['-rp', `${host}:tree`, 'back']), { code: 0, stdout: '', stderr: '' });
    assert.equal(readFileSync(path('back/inner/two'), 'utf8'), 'two');
  });

  await t.test('scp prints the error and ends', async () => {
    const missing = await run('scp', [`${host}:nothing`, 'here']);
    assert.equal(missing.code, 1);
    assert.match(missing.stderr, /nothing: No such file/);
    const closed = await run('scp', [`${host}:/etc/shadow`, 'here']);
    assert.equal(closed.code, 1);
    assert.match(closed.stderr, /Permission denied/);
  });

  await t.test('sftp runs a batch to its end, and ends', async () => {
    const batch = ['put up.bin batch.bin', 'ls -l batch.bin', 'chmod 600 batch.bin', 'get batch.bin got.bin'];
    const ended = await run('sftp', ['-b', '-', host], `${batch.join('\n')}\nrm batch.bin\nbye\n`);
    assert.equal(ended.code, 0, ended.stderr);
    assert.ok(readFileSync(path('got.bin')).equals(content));
    assert.match(ended.stdout, /700000 .*batch\.bin/);
    const failed = await run('sftp', ['-b', '-', host], 'get nothing\n');
    assert.equal(failed.code, 1);
    assert.match(failed.stderr, /not found|No such file/);
  });

  await t.test('the protocol before SFTP is refused in words', async () => {
    const refused = await run('scp', ['-O', 'up.bin', `${host}:old.bin`]);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /scp without -O/);
    const back = await run('scp', ['-O', `${host}:copy.bin`, 'old.bin']);
    assert.equal(back.code, 1);
    assert.match(back.stderr, /scp without -O/);
  });
});
