import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { SCOPES } from '../acceptance/support/roster.ts';
import { start } from '../acceptance/support/start.ts';
import { newSubject } from '../acceptance/support/world.ts';
import { type Cli, cliAt, type Given, untilEnd } from './support/cli.ts';

/** Returns the output of a command that must succeed. */
async function ok(cli: Cli, words: string[], given?: Given): Promise<string> {
  const { code, stdout, stderr } = await cli(words, given);
  assert.equal(code, 0, `${words.join(' ')}: ${stderr}`);
  return stdout.trimEnd();
}

test('a customer at the command line', async (t) => {
  const { operator, client: program, baseUrl } = await start(t);
  const { account } = await newSubject(operator, program, { balance: 2_000 });
  const cli = cliAt(baseUrl(), await operator.key(account, SCOPES));
  const order = ['vm', 'create', 'web-1', '--plan', 's1', '--template', 'debian-12'];
  const vms = () => ok(cli, ['vm', 'list', '-o', 'id']);

  await t.test('nothing is bought without confirmation, and the question shows the price', async () => {
    const silent = await cli(order);
    assert.equal(silent.code, 4);
    assert.match(
      silent.stderr,
      /Buy web-1\? There is no terminal to ask for confirmation. Repeat the command with --yes/,
    );
    const denied = await cli(order, { answer: 'n' });
    assert.equal(denied.code, 4);
    assert.match(denied.stderr, /^3\.99 EUR per month, paid in advance\.$/m);
    assert.match(denied.stderr, /^Available: 20\.00 EUR$/m);
    assert.match(denied.stderr, /Nothing was done/);
    assert.equal(await vms(), '');
    const unknown = await cli([...order.slice(0, 4), 's99', ...order.slice(5)], { answer: 'y' });
    assert.equal(unknown.code, 1);
    assert.match(unknown.stderr, /There is no plan "s99"\. There are: s1, /);
  });

  await t.test('a purchase never costs more than shown', async () => {
    const cheaper = await cli([...order, '--max-charge-minor', '398'], { answer: 'y' });
    assert.equal(cheaper.code, 1);
    assert.match(cheaper.stderr, /price_changed/);
    const bought = await ok(cli, [...order, '--wait', '-o', 'json'], { answer: 'y' });
    const { vm, job } = JSON.parse(bought);
    assert.deepEqual([vm.hostname, vm.status, job.status], ['web-1', 'running', 'succeeded']);
    assert.equal(await vms(), vm.id);
  });

  await t.test('a purchase repeated under its name is made once', async () => {
    const again = [
      'vm',
      'create',
      'web-2',
      ...order.slice(3),
      '--yes',
      '--idempotency-key',
      'second',
      '-o',
      'id',
    ];
    assert.equal(await ok(cli, again), await ok(cli, again));
    await ok(cli, ['vm', 'get', 'web-2', '--wait-seconds', '30']);
    await ok(cli, ['vm', 'delete', 'web-2', '--yes', '--wait']);
    assert.equal((await cli(['vm', 'get', 'web-2'])).code, 1);
  });

  await t.test('an ambiguous name is refused with the ids', async () => {
    const id = await ok(cli, [...order, '--yes', '--no-start', '--wait', '-o', 'id']);
    const { code, stderr } = await cli(['vm', 'get', 'web-1']);
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`More than one VM is called "web-1"[\\s\\S]*${id}`));
    await ok(cli, ['vm', 'update', id, '--hostname', 'web-3', '--notes', 'a\u001b[31m\u202ebad']);
    const shown = await ok(cli, ['vm', 'get', 'web-3']);
    assert.match(shown, /^notes: +a\\x1b\[31m\\u\{202e\}bad$/m);
    const json = await ok(cli, ['vm', 'get', 'web-3', '-o', 'json']);
    assert.equal(JSON.parse(json).notes, 'a\u001b[31m\u202ebad');
    assert.ok(!json.includes('\u001b') && !json.includes('\u202e'));
    await ok(cli, ['vm', 'update', 'web-3', '--notes', '']);
    assert.match(await ok(cli, ['vm', 'get', 'web-3']), /^notes: +-$/m);
  });

  await t.test('a deletion asks, showing the losses and the refund', async () => {
    const denied = await cli(['vm', 'delete', 'web-3'], { answer: '' });
    assert.equal(denied.code, 4);
    assert.match(denied.stderr, /^Lost: volume root$/m);
    assert.match(denied.stderr, /^Refunded: 3\.\d\d EUR$/m);
    assert.match(denied.stderr, /Delete web-3 \(vm_\w+\) and all its data\?/);
    await ok(cli, ['vm', 'delete', 'web-3', '--wait'], { answer: 'y' });
    await ok(cli, ['snapshot', 'create', 'web-1', 'before', '--wait']);
    assert.equal((await cli(['snapshot', 'delete', 'web-1', 'before'])).code, 4);
    await ok(cli, ['snapshot', 'delete', 'web-1', 'before', '--yes', '--wait']);
    assert.equal(await ok(cli, ['snapshot', 'list', 'web-1', '-o', 'id']), '');
  });

  await t.test('a change of plan shows its quote', async () => {
    const { code, stderr } = await cli(['vm', 'change-plan', 'web-1', 's2'], { answer: 'n' });
    assert.equal(code, 4);
    assert.match(stderr, /^Remaining time on Shared S2: 6\.\d\d EUR$/m);
    assert.match(stderr, /^Charged now: \d\.\d\d EUR; available: \d+\.\d\d EUR$/m);
    assert.match(stderr, /rebooted/);
  });

  await t.test('a refusal names the field and what to do', async () => {
    const wrong = await cli(['vm', 'update', 'web-1', '--renewal-priority', '0']);
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /^vauban: {3}--renewal-priority: /m);
    const poor = await cli([...order.slice(0, 4), 'd8', ...order.slice(5), '--yes']);
    assert.equal(poor.code, 1);
    assert.match(poor.stderr, /insufficient_funds[\s\S]*Missing: \d+\.\d\d EUR/);
    assert.equal((await cli(['vm', 'update', 'web-1', '--renewal-priority', 'x'])).code, 2);
    assert.equal((await cli(['firewall', 'add', 'web-1', '--action', 'accept'])).code, 2);
    const nowhere = await cliAt(
      'http://127.0.0.1:1',
      'vk_none_none',
    )(['vm', 'start', `vm_${'0'.repeat(26)}`]);
    assert.equal(nowhere.code, 3);
    const stranger = await cliAt(baseUrl(), 'vk_none_none')(['vm', 'list']);
    assert.equal(stranger.code, 1);
    assert.match(stranger.stderr, /api_key_invalid[\s\S]*vauban context create/);
  });

  await t.test('the agent asks before anything harmful', async () => {
    const question = ['agent', 'web-1', 'How full is the disk?', '--approval-mode', 'all'];
    const silent = await cli(question);
    assert.equal(silent.code, 4);
    assert.match(silent.stderr, /waiting for your approval/);
    await ok(cli, ['agent', 'clear', 'web-1']);
    const run = await cli(question, { answer: 'y' });
    assert.equal(run.code, 0, run.stderr);
    assert.match(run.stderr, /Run `df [^`]*`\? \[y\/N\]/);
    assert.match(run.stdout, /> df /);
    assert.match(run.stdout, /Filesystem/);
  });

  await t.test('the screen is a port of this machine, for one viewer after another', async () => {
    const abort = new AbortController();
    const end = untilEnd(t);
    let listens: (port: number) => void;
    const listening = new Promise<number>((resolve) => {
      listens = resolve;
    });
    const onOutput = (text: string) => {
      const [, port] = /vnc:\/\/127\.0\.0\.1:(\d+)/.exec(text) ?? [];
      if (port) listens(Number(port));
    };
    const serving = cli(['vnc', 'web-1'], { signal: AbortSignal.any([abort.signal, end]), onOutput });
    const ended = serving.then(({ stderr }) => assert.fail(`it has ended: ${stderr}`));
    const port = await Promise.race([listening, ended]);
    for (let n = 0; n < 2; n += 1) {
      const viewer = connect(port, '127.0.0.1');
      const [greeting] = await once(viewer, 'data');
      assert.match(String(greeting), /^RFB 003\.00\d\n/);
      viewer.destroy();
    }
    abort.abort();
    ended.catch(() => undefined);
    assert.equal((await serving).code, 0);
  });

  await t.test('top shows what runs', async () => {
    assert.match(await ok(cli, ['top', '--once']), /^VM +CPU %[\s\S]*\nweb-1 /);
    const [first] = JSON.parse(await ok(cli, ['top', '-o', 'json']));
    assert.equal(first.hostname, 'web-1');
  });

  await t.test('a Tab completes commands, options, and names that the API knows', async () => {
    const complete = async (...words: string[]) =>
      (await ok(cli, ['complete', '--', ...words])).split('\n').filter(Boolean);
    assert.deepEqual(await complete('fire'), ['firewall']);
    assert.deepEqual(await complete('firewall', ''), ['add', 'delete', 'list']);
    assert.deepEqual(await complete('vm', 'get', ''), ['web-1']);
    assert.deepEqual(await complete('ssh', 'we'), ['web-1']);
    assert.ok((await complete('agent', '')).includes('web-1'));
    assert.deepEqual(await complete('vm', 'create', 'web-9', '--plan', 's1'), ['s1', 's1-2023']);
    assert.deepEqual(await complete('firewall', 'add', 'web-1', '--action', ''), ['accept', 'drop']);
    assert.deepEqual(await complete('vm', 'list', '--lim'), ['--limit']);
    assert.deepEqual(await complete('-o', 'y'), ['yaml']);
  });
});
