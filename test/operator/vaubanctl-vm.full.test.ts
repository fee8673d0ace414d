import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { newCustomer } from '../chaos/support/customer.ts';
import { startService } from '../support/service.ts';
import { startOperator, temporaryDirectory } from './support.ts';
import { PROGRAM, vaubanctl } from './vaubanctl.ts';

const VM = { plan: 's1', template: 'debian-12', hostname: 'web', password: 'correct-horse' };

test('VMs are listed, shown and stopped', async (t) => {
  const service = await startService(t, { env: { VAUBAN_SIMULATOR_BOOT_SECONDS: '0' } });
  const ctl = (...args: string[]) => vaubanctl(dirname(service.operatorSocket), ...args);
  const [one, other] = [await newCustomer(service), await newCustomer(service)];
  const { vm } = await one.ask('POST', '/v1/vm', VM);
  const { vm: foreign } = await other.ask('POST', '/v1/vm', { ...VM, hostname: 'db', billing: 'hourly' });
  for (const [customer, { id }] of [
    [one, vm],
    [other, foreign],
  ] as const)
    await customer.settled(id);

  const { stdout: all } = await ctl('vm', 'list');
  assert.match(
    all,
    new RegExp(`^${foreign.id} +${other.accountId} +db +running +s1 +\\S+ +\\d+\\.\\d\\d EUR `, 'm'),
  );
  const ofOne = JSON.parse((await ctl('vm', 'list', '--account', one.accountId, '--json')).stdout);
  assert.deepEqual(
    ofOne.map(({ id }: { id: string }) => id),
    [vm.id],
  );
  assert.equal(JSON.parse((await ctl('vm', 'list', '--status', 'stopped', '--json')).stdout).length, 0);
  assert.match((await ctl('vm', 'list', '--status', 'asleep')).stderr, /^vaubanctl: status: /);

  const { stdout: shown } = await ctl('vm', 'show', vm.id);
  assert.match(shown, /^hostname: +web$/m);
  assert.match(shown, / vm\.created /);
  assert.match(shown, /^price: +\d+\.\d\d EUR per month$/m);
  assert.match(
    (await ctl('vm', 'show', foreign.id)).stdout,
    /^price: +0\.\d+ EUR per hour, at most \d+\.\d\d EUR per month$/m,
  );
  assert.equal((await ctl('vm', 'show', 'vm_00000000000000000000000000')).code, 1);

  const asked = await ctl('vm', 'stop', vm.id, '--force');
  assert.deepEqual([asked.code, asked.stdout], [1, '']);
  assert.match(asked.stderr, /--yes/);
  assert.equal((await ctl('vm', 'stop', vm.id)).code, 0);
  assert.equal((await one.settled(vm.id)).status, 'stopped');
  assert.match((await ctl('vm', 'stop', vm.id)).stderr, /The VM is stopped\. It must be running/);
  assert.equal((await ctl('vm', 'stop', foreign.id, '--force', '--yes')).code, 0);
  assert.equal((await other.settled(foreign.id)).status, 'stopped');

  const { stdout: log } = await ctl('log', '--count', '2');
  const lines = log.trimEnd().split('\n').slice(1);
  assert.equal(lines.length, 2);
  assert.match(lines[0]!, new RegExp(`POST /vms/${foreign.id}/stop +\\{"force":true\\} +done$`));
});

test('a VM is restored and rebuilt', async (t) => {
  const service = await startService(t, { env: { VAUBAN_SIMULATOR_BOOT_SECONDS: '0' } });
  const dataDir = dirname(service.operatorSocket);
  const ctl = (...args: string[]) => vaubanctl(dataDir, 'vm', ...args);
  const customer = await newCustomer(service);
  const { vm } = await customer.ask('POST', '/v1/vm', VM);
  await customer.settled(vm.id);
  const { snapshot } = await customer.ask('POST', `/v1/vm/${vm.id}/snapshots`, { name: 'before' });
  await customer.settled(vm.id);
  assert.match(
    (await ctl('show', vm.id)).stdout,
    new RegExp(`^${snapshot.id} +before +available +\\d+ `, 'm'),
  );

  const asked = await ctl('restore', vm.id, snapshot.id);
  assert.deepEqual([asked.code, asked.stdout], [1, '']);
  assert.match(asked.stderr, /Replace all data on the disk of vm_\w+ with snap_\w+\? .*--yes/);
  const restored = await ctl('restore', vm.id, snapshot.id, '--yes');
  assert.match(restored.stdout, /^vm_\w+ is being restored to before of \S+.* by job_\w+\.$/m);
  assert.deepEqual((await customer.settled(vm.id)).last_job.kind, 'snapshot_restore');

  assert.match((await ctl('rebuild', vm.id, '--yes')).stderr, /--template/);
  const refused = await ctl('rebuild', vm.id, '--template', 'alpine-3.22', '--yes');
  assert.match(refused.stderr, /The VM has 1 snapshot, which a rebuild would delete/);
  const lost = await ctl('rebuild', vm.id, '--template', 'alpine-3.22', '--user-data', '/nowhere', '--yes');
  assert.match(lost.stderr, /^vaubanctl: cannot read \/nowhere: /);
  const userData = join(await temporaryDirectory(t), 'user-data');
  await writeFile(userData, '#cloud-config\n# hunter2\n');
  const options = ['--template', 'alpine-3.22', '--delete-snapshots', '--user-data', userData, '--yes'];
  const rebuilt = await ctl('rebuild', vm.id, ...options);
  assert.match(rebuilt.stdout, /^[A-Za-z0-9]{20}\n$/, 'the password alone');
  const { status, template, last_job } = await customer.settled(vm.id);
  assert.deepEqual([status, template, last_job.status], ['running', 'alpine-3.22', 'succeeded']);
  assert.doesNotMatch((await vaubanctl(dataDir, 'log')).stdout, /hunter2/);
});

test('large amounts and final actions ask for confirmation', async (t) => {
  const { dataDir, newAccount, get } = await startOperator(t);
  const id = await newAccount();
  const ctl = (...args: string[]) => vaubanctl(dataDir, 'account', ...args);
  const balance = async () => (await get(`/accounts/${id}`)).json().data.wallet.balance_minor;
  const large = await ctl('credit', id, '1000.00');
  assert.deepEqual([large.code, await balance()], [1, 0]);
  assert.match(large.stderr, /^vaubanctl: Credit 1000\.00, account acc_\w+\? Repeat the command with --yes/);
  assert.equal((await ctl('credit', id, '1000.00', '--yes')).code, 0);
  assert.equal((await ctl('debit', id, '999.99')).code, 0);
  assert.equal(await balance(), 1);
  assert.match((await ctl('debit', id, '0.01')).stdout, /^amount: +-0\.01 EUR$/m);
  assert.equal((await ctl('close', id)).code, 1);
  assert.equal((await ctl('suspend', id)).code, 0);
  assert.match((await ctl('list')).stdout, / suspended +0\.00 EUR/);
  assert.equal((await ctl('resume', id)).code, 0);
  assert.equal((await ctl('close', id, '--yes')).code, 0);
  assert.match((await ctl('show', id)).stdout, /^status: +closed$/m);
});

test('a person in a terminal answers the question', async (t) => {
  const { dataDir, newAccount, get } = await startOperator(t);
  const id = await newAccount();
  for (const [answer, minor] of [
    ['n', 0],
    ['y', 200_000],
  ] as const) {
    const command = `${process.execPath} ${PROGRAM} --data-dir ${dataDir} account credit ${id} 2000`;
    const terminal = spawn('script', ['-qefc', command, '/dev/null'], { stdio: ['pipe', 'pipe', 'inherit'] });
    let asked = '';
    for await (const chunk of terminal.stdout.setEncoding('utf8')) {
      const before = asked.includes('[y/N]');
      asked += chunk;
      if (!before && asked.includes('[y/N]')) terminal.stdin.write(`${answer}\r`);
    }
    assert.equal((await get(`/accounts/${id}`)).json().data.wallet.balance_minor, minor);
  }
});

test('quotas are shown and changed', async (t) => {
  const { dataDir, newAccount, catalog } = await startOperator(t);
  const id = await newAccount();
  const ctl = (...args: string[]) => vaubanctl(dataDir, 'account', 'limits', id, ...args);
  assert.match((await ctl()).stdout, new RegExp(`^vms: +${catalog.limits.vms}$`, 'm'));
  const changed = await ctl('--set', 'vms=3', '--set', 'vcpu=9', '--json');
  assert.deepEqual(JSON.parse(changed.stdout), { ...catalog.limits, vms: 3, vcpu: 9 });
  assert.match((await ctl('--reset', 'vms')).stdout, new RegExp(`^vms: +${catalog.limits.vms}$`, 'm'));
  assert.match((await ctl('--set', 'vmss=3')).stderr, /^vaubanctl: limits\.vmss: /);
});

test('bash completes commands and options', async (t) => {
  const directory = await temporaryDirectory(t);
  const bin = join(directory, 'vaubanctl');
  await writeFile(bin, `#!/bin/sh\nexec ${process.execPath} ${PROGRAM} "$@"\n`, { mode: 0o755 });
  const complete = async (...words: string[]) => {
    const script = `eval "$(vaubanctl completion bash)"
      COMP_WORDS=(vaubanctl ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}
      _vaubanctl; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const env = { PATH: `${directory}:${process.env.PATH}` };
    const { stdout } = await promisify(execFile)('bash', ['-euc', script], { env });
    return stdout.trim().split('\n');
  };
  assert.deepEqual(await complete('acc'), ['account']);
  assert.deepEqual(await complete('account', 'cr'), ['create', 'credit']);
  assert.deepEqual(await complete('vm', ''), ['list', 'rebuild', 'restore', 'show', 'stop']);
  assert.ok((await complete('account', 'credit', '--')).includes('--reference'));
  assert.ok(!(await complete('')).includes('complete'), 'what completes is not offered itself');
  for (const shell of ['zsh', 'fish'])
    assert.equal((await vaubanctl(directory, 'completion', shell)).code, 0);
  assert.equal((await vaubanctl(directory, 'completion', 'tcsh')).code, 1);
});
