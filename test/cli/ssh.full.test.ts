import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { SCOPES } from '../acceptance/support/roster.ts';
import { start } from '../acceptance/support/start.ts';
import { newSubject } from '../acceptance/support/world.ts';
import { defer } from '../support/cleanup.ts';
import { cliAt } from './support/cli.ts';

const BIN = join(import.meta.dirname, '../../cli/bin/vauban.js');
const NO_CLIENT =
  spawnSync('scp').error && process.env.CI === undefined ? 'openssh-client is not installed' : false;

test('ssh and scp reach a VM through the service', {
  skip: NO_CLIENT,
}, async (t) => {
  const { operator, client: program, baseUrl } = await start(t);
  const { account } = await newSubject(operator, program);
  const key = await operator.key(account, SCOPES);
  const directory = mkdtempSync(join(tmpdir(), 'vauban-cli-ssh-'));
  defer(t, () => rmSync(directory, { recursive: true }));
  const identity = join(directory, 'id');
  spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', identity]);

  const cli = cliAt(baseUrl(), key);
  const buy = ['vm', 'create', 'web-1', '--plan', 's1', '--template', 'debian-12', '--ssh-key-ids', 'laptop'];
  const setup = [
    ['ssh-key', 'add', 'laptop', '--public-key', `@${identity}.pub`],
    [...buy, '--yes', '--wait'],
  ];
  for (const words of setup) {
    const { code, stderr } = await cli(words);
    assert.equal(code, 0, stderr);
  }
  // The guest's firewall may be closed: the connection goes through the service.
  const closed = await cli(['firewall', 'list', 'web-1']);
  assert.match(closed.stdout, /in drop/);

  const env = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: directory,
    VAUBAN_URL: baseUrl(),
    VAUBAN_API_KEY: key,
  };
  const run = async (command: string, args: string[], input = '') => {
    const child = spawn(command, args, { cwd: directory, env });
    defer(t, () => child.kill());
    const exited = once(child, 'close');
    child.stdin.end(input);
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    await exited;
    return { code: child.exitCode, stdout, stderr };
  };
  // ssh asks the system for the user's home directory and ignores the environment.
  const known = `UserKnownHostsFile=${join(directory, 'known_hosts')}`;
  const quiet = ['BatchMode=yes', 'StrictHostKeyChecking=accept-new', 'LogLevel=ERROR', known];
  const ssh = (words: string[], input?: string) =>
    run(
      process.execPath,
      [BIN, 'ssh', '-i', identity, ...quiet.flatMap((one) => ['--option', one]), 'web-1', '--', ...words],
      input,
    );

  await t.test('a command runs as the default user, with its output and its exit code', async () => {
    assert.deepEqual(await ssh(['whoami']), { code: 0, stdout: 'debian\n', stderr: '' });
    assert.deepEqual(await ssh(['cat'], 'to there and back\n'), {
      code: 0,
      stdout: 'to there and back\n',
      stderr: '',
    });
    assert.equal((await ssh(['exit 7'])).code, 7);
  });

  await t.test('a key that the guest does not know is refused as ssh does', async () => {
    const stranger = await run(process.execPath, [
      BIN,
      'ssh',
      ...quiet.flatMap((one) => ['--option', one]),
      '--option',
      'IdentitiesOnly=yes',
      'nobody@web-1',
      '--',
      'true',
    ]);
    assert.equal(stranger.code, 255);
    assert.match(stranger.stderr, /Permission denied/);
  });

  await t.test('scp copies through the same way as its ProxyCommand', async () => {
    const content = Buffer.alloc(1_000_000, 'every byte of it\n');
    writeFileSync(join(directory, 'up.bin'), content);
    const proxy = `ProxyCommand=${process.execPath} ${BIN} ssh-proxy %h`;
    const options = ['-q', '-F', '/dev/null', '-i', identity, '-o', proxy].concat(
      quiet.flatMap((one) => ['-o', one]),
    );
    const up = await run('scp', [...options, 'up.bin', 'debian@web-1:copy.bin']);
    assert.deepEqual(up, { code: 0, stdout: '', stderr: '' });
    const down = await run('scp', [...options, 'debian@web-1:copy.bin', 'down.bin']);
    assert.deepEqual(down, { code: 0, stdout: '', stderr: '' });
    assert.ok(readFileSync(join(directory, 'down.bin')).equals(content));
  });
});
