import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { Command } from 'commander';
import { isWellFormedKey } from '../../server/access/api-key.ts';
import { ALL_SCOPES } from '../../server/access/scopes.ts';
import { program } from '../../vaubanctl/program.ts';
import { startOperator, temporaryDirectory, UNKNOWN_ACCOUNT } from './support.ts';
import { PROGRAM, REPOSITORY, type Run, vaubanctl } from './vaubanctl.ts';

test('an account, its money and its key, from the first command to the last', async (t) => {
  const { dataDir, get } = await startOperator(t);
  const ctl = (...args: string[]) => vaubanctl(dataDir, ...args);
  const made = await ctl(
    'account',
    'create',
    '--name',
    'Example Ltd',
    '--limit',
    'vms=3',
    '--limit',
    'vcpu=8',
    '--json',
  );
  assert.equal(made.code, 0, made.stderr);
  const { id, limits } = JSON.parse(made.stdout);
  assert.deepEqual([limits.vms, limits.vcpu], [3, 8]);

  const credited = await ctl(
    'account',
    'credit',
    id,
    '49.90',
    '--reference',
    'transfer 1',
    '--method',
    'cash',
  );
  assert.equal(credited.code, 0, credited.stderr);
  assert.match(credited.stdout, /^amount: +49\.90 EUR$/m);
  assert.match(credited.stdout, /^available: +49\.90 EUR$/m);

  const created = await ctl(
    'key',
    'create',
    id,
    '--name',
    'ci',
    '--scopes',
    'all',
    '--expires',
    '30d',
    '--allow-ip',
    '192.0.2.1',
    '198.51.100.0/24',
  );
  assert.equal(created.code, 0, created.stderr);
  const key = created.stdout.trimEnd();
  assert.ok(isWellFormedKey(key), 'the key stands alone on standard output');
  assert.match(created.stderr, /will not be shown again/);
  assert.ok(!created.stderr.includes(key));

  const keys = JSON.parse((await ctl('key', 'list', id, '--json')).stdout);
  assert.deepEqual(keys, (await get(`/accounts/${id}/keys`)).json().data);
  assert.deepEqual(keys[0].scopes, ALL_SCOPES);
  assert.deepEqual(keys[0].allow_cidrs, ['192.0.2.1/32', '198.51.100.0/24']);

  const revoked = await ctl('key', 'revoke', keys[0].id);
  assert.match(revoked.stdout, new RegExp(`^Key ${keys[0].id} \\(ci\\) of ${id} was revoked at .*Z\\.\n$`));
  const shown = await ctl('account', 'show', id);
  assert.match(shown.stdout, /^name: +Example Ltd$/m);
  assert.match(shown.stdout, / revoked +20/);
  assert.ok(!shown.stdout.includes(key));
});

test('lists are tables whose columns are aligned over all pages', async (t) => {
  const { dataDir, newAccount } = await startOperator(t);
  for (let number = 1; number <= 101; number++) await newAccount(`number ${number}`);
  const { stdout } = await vaubanctl(dataDir, 'account', 'list');
  const lines = stdout.trimEnd().split('\n');
  assert.equal(lines.length, 102);
  const column = lines[0]!.indexOf('AVAILABLE');
  for (const line of lines.slice(1))
    assert.equal(line.slice(column, column + 9), ' 0.00 EUR', 'amounts end below each other');
  assert.equal(JSON.parse((await vaubanctl(dataDir, '--json', 'account', 'list')).stdout).length, 101);
});

test('a refusal is printed with its field on standard error', async (t) => {
  const { dataDir, newAccount } = await startOperator(t);
  const id = await newAccount();
  const credit = (...more: string[]) => vaubanctl(dataDir, 'account', 'credit', id, '5', ...more);
  assert.equal((await credit('--reference', 'r')).code, 0);
  const refusals: [Promise<Run>, RegExp][] = [
    [
      vaubanctl(dataDir, 'key', 'create', id, '--name', 'a', '--scopes', 'vm:fly'),
      /^vaubanctl: scopes\.0: must be one of /,
    ],
    [
      vaubanctl(
        dataDir,
        'key',
        'create',
        id,
        '--name',
        'a',
        '--scopes',
        'all',
        '--expires',
        '2020-01-01T00:00:00Z',
      ),
      /^vaubanctl: expires_at: .*future/,
    ],
    [
      vaubanctl(dataDir, 'account', 'create', '--name', 'a', '--limit', 'vmss=1'),
      /^vaubanctl: limits\.vmss: is not a field/,
    ],
    [credit('--reference', 'r'), /^vaubanctl: .*"r".* \(payment_id: pay_/],
    [
      vaubanctl(dataDir, 'account', 'show', UNKNOWN_ACCOUNT),
      /^vaubanctl: .*does not exist\. \(\/accounts\/acc_0/,
    ],
    [
      vaubanctl(dataDir, 'key', 'create', id, '--name', 'a', '--scopes', 'all', '--expires', 'soon'),
      /2027-01-01T00:00:00Z, 30d or 12h/,
    ],
    [vaubanctl(dataDir, 'account', 'create', '--name', 'a', '--limit', 'vms'), /such as vms=10/],
    [vaubanctl(dataDir, 'account', 'create'), /required option '--name <name>'/],
    [vaubanctl(dataDir, 'account', 'delete'), /unknown command/],
  ];
  for (const [run, message] of refusals) {
    const { code, stdout, stderr } = await run;
    assert.match(stderr, message);
    assert.equal(code, 1, stderr);
    assert.equal(stdout, '');
  }
});

test('without a service it names the socket and ends with 2', async (t) => {
  const dataDir = await temporaryDirectory(t);
  const socket = join(dataDir, 'vauban.sock');
  for (const options of [[], ['--data-dir', dataDir], ['--socket', socket]]) {
    const { code, stderr } = await vaubanctl(dataDir, 'account', 'list', ...options);
    assert.equal(code, 2);
    assert.match(stderr, new RegExp(`^vaubanctl: no service is listening on ${socket}; is it running`));
  }
});

test('it is installed as a command, and runs under a node that cannot read TypeScript', async () => {
  const { version } = JSON.parse(readFileSync(join(REPOSITORY, 'vaubanctl/package.json'), 'utf8'));
  const run = promisify(execFile);
  const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin` };
  const installed = join(REPOSITORY, 'node_modules/.bin/vaubanctl');
  assert.equal((await run(installed, ['--version'], { cwd: '/', env })).stdout, `${version}\n`);
  const old = ['--no-experimental-strip-types', PROGRAM, '--version'];
  assert.equal((await run(process.execPath, old, { cwd: '/', env })).stdout, `${version}\n`);
});

test('every command is in the help, and in the manual with all its options', async (t) => {
  const manual = readFileSync(join(REPOSITORY, 'docs/vaubanctl.md'), 'utf8');
  const { stdout } = await vaubanctl(await temporaryDirectory(t), '--help');
  const shown = (command: Command) => command.createHelp().visibleCommands(command);
  for (const group of shown(program).filter((command) => command.name() !== 'help')) {
    assert.match(stdout, new RegExp(`^ {2}${group.name()} `, 'm'));
    const commands = shown(group).filter((command) => command.name() !== 'help');
    for (const command of commands.length > 0 ? commands : [group]) {
      const name = command === group ? group.name() : `${group.name()} ${command.name()}`;
      assert.ok(manual.includes(`vaubanctl ${name}`), name);
      for (const [option] of command.helpInformation().matchAll(/--[a-z0-9-]+/g))
        assert.ok(manual.includes(option), `${name} ${option}`);
    }
  }
});
