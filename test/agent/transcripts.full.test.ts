import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  APPROVAL_LIFETIME_MS,
  COMMAND_TIMEOUT_MS,
  MAX_NONSENSE,
  MODEL_SILENCE_MS,
  RUN_TIMEOUT_MS,
} from '../../server/agent/limits.ts';
import { reapOrphanedRuns } from '../../server/agent/reap-orphaned-runs.ts';
import { transcript } from './support/event-reader.ts';
import { type Reaction, startGuest } from './support/guest.ts';
import { type Answer, startModel } from './support/model-server.ts';
import { openFixture } from './support/stage.ts';
import { settled, waitFor } from './support/wait.ts';

/** To update after a change of the events: node --test --test-update-snapshots test/agent/transcripts.full.test.ts */
function golden(t: TestContext, name: string, text: string): void {
  const path = join(import.meta.dirname, 'golden', `${name}.txt`);
  t.assert.fileSnapshot(text, path, { serializers: [(value: unknown) => value as string] });
}

const DANGEROUS = 'rm -rf /var/cache/app';
const REACTIONS: Record<string, Reaction> = {
  'df -h': { stdout: 'Filesystem Size Used Avail Use% Mounted on\n/dev/vda1 20G 19G 1G 95% /\n' },
  [DANGEROUS]: { stdout: '' },
  'sleep 30': { hangs: true },
  'cat /var/log/missing': { stderr: 'cat: /var/log/missing: No such file or directory\n', code: 1 },
};

async function setUp(t: TestContext, script: Answer[]) {
  const guest = await startGuest(t, (command) => REACTIONS[command] ?? { stdout: `ran ${command}\n` });
  const model = await startModel(t, script);
  const fixture = await openFixture(t, { guest, model });
  return { guest, model, fixture, ...fixture };
}

test('completed', async (t) => {
  const { fixture, guest, model } = await setUp(t, [
    { text: 'I will look. ', command: 'df -h', reason: 'See the disks' },
    { command: 'cat /var/log/missing' },
    { text: 'The disk is 95 % full.' },
  ]);
  golden(t, 'completed', transcript(await fixture.run({ message: 'Why is the disk full?' })));
  assert.deepEqual(guest.ran, ['df -h', 'cat /var/log/missing']);
  assert.equal(model.requests.length, 3);
  const { state, history, run_id } = await fixture.status();
  assert.deepEqual([state, run_id], ['idle', null]);
  assert.deepEqual(
    history.map(({ role, command, exit_code }: Record<string, unknown>) => [role, command, exit_code]),
    [
      ['user', null, null],
      ['assistant', null, null],
      ['command', 'df -h', 0],
      ['command', 'cat /var/log/missing', 1],
      ['assistant', null, null],
    ],
  );
  const events = (await fixture.call('GET', `/v1/vm/${fixture.vm.id}/events?type=agent.command_started`)).json
    .data;
  assert.deepEqual(
    // The events all have the same time, so their ids decide the order.
    events
      .map(({ metadata, actor }: Record<string, Record<string, unknown>>) => [metadata!.command, actor!.id])
      .sort(),
    [
      ['cat /var/log/missing', fixture.keyId],
      ['df -h', fixture.keyId],
    ],
  );
});

test('a waiting command is dropped by a new conversation, and by a new message', async (t) => {
  const { fixture, guest } = await setUp(t, [
    { command: DANGEROUS },
    { command: DANGEROUS },
    { text: 'Hello.' },
  ]);
  const path = `/v1/vm/${fixture.vm.id}/ai-agent`;
  const waiting = async () => {
    const events = await fixture.run({ message: 'Empty the cache' });
    return { approval: { id: events.at(-2)!.approval_id, decision: 'approve' } };
  };
  const before = (await waiting()).approval;
  const { status, json } = await fixture.call('POST', `${path}/clear`);
  assert.equal(status, 200);
  const cleared = await fixture.status();
  assert.deepEqual([cleared.state, cleared.history, cleared.session_id], ['idle', [], json.data.session_id]);
  assert.equal((await fixture.refused({ approval: before })).code, 'approval_not_pending');
  const superseded = (await waiting()).approval;
  await fixture.run({ message: 'Never mind' });
  assert.equal((await fixture.refused({ approval: superseded })).code, 'approval_not_pending');
  assert.deepEqual(guest.ran, [], 'what was dropped is never run');
});

test('approved', async (t) => {
  const { fixture, guest } = await setUp(t, [{ text: 'Removing.', command: DANGEROUS }, { text: 'Done.' }]);
  const asked = await fixture.run({ message: 'Empty the cache' });
  const approval = { id: asked.at(-2)!.approval_id, decision: 'approve' };
  const approved = await fixture.run({ approval });
  golden(t, 'approved', transcript(asked, approved));
  assert.deepEqual(guest.ran, [DANGEROUS]);
  assert.equal((await fixture.refused({ approval })).code, 'approval_not_pending');
  assert.deepEqual(guest.ran, [DANGEROUS], 'an approval is good once');
});

test('denied', async (t) => {
  const { fixture, guest, model } = await setUp(t, [{ command: DANGEROUS }, { text: 'As you wish.' }]);
  const asked = await fixture.run({ message: 'Empty the cache' });
  const denied = await fixture.run({
    approval: { id: asked.at(-2)!.approval_id, decision: 'deny', reason: 'it is in use' },
  });
  golden(t, 'denied', transcript(asked, denied));
  assert.deepEqual(guest.ran, []);
  assert.match(JSON.stringify(model.requests[1]), /it is in use/);
});

test('expired', async (t) => {
  const { fixture, guest } = await setUp(t, [{ command: DANGEROUS }, { text: 'Done.' }]);
  const asked = await fixture.run({ message: 'Empty the cache' });
  golden(t, 'expired', transcript(asked));
  fixture.services.clock.advance(APPROVAL_LIFETIME_MS);
  const approval = { id: asked.at(-2)!.approval_id, decision: 'approve' };
  const { status, code } = await fixture.refused({ approval });
  assert.deepEqual([status, code], [409, 'approval_not_pending']);
  assert.equal((await fixture.status()).state, 'idle');
  await reapOrphanedRuns(fixture.services);
  assert.match((await fixture.status()).history.at(-1).content, /it was not approved in time/);
  assert.deepEqual(guest.ran, []);
});

test('every command asks with approval_mode all, none with never', async (t) => {
  const { fixture, guest } = await setUp(t, [
    { command: 'df -h' },
    { command: DANGEROUS },
    { text: 'I may not.' },
  ]);
  const all = await fixture.run({ message: 'Look', approval_mode: 'all' });
  assert.deepEqual([all.at(-2)!.type, all.at(-2)!.risk], ['approval.required', 'safe']);
  const never = await fixture.run({ message: 'Empty the cache', approval_mode: 'never' });
  golden(t, 'never', transcript(never));
  assert.deepEqual(guest.ran, [], 'a dangerous command is refused, never run silently');
});

test('max_steps', async (t) => {
  const { fixture, guest } = await setUp(t, [{ command: 'df -h' }]);
  golden(t, 'max-steps', transcript(await fixture.run({ message: 'Look and look', max_steps: 2 })));
  assert.equal(guest.ran.length, 2);
});

test('a command that does not end', async (t) => {
  const { fixture, guest } = await setUp(t, [{ command: 'sleep 30' }, { text: 'It hangs.' }]);
  const reader = await fixture.open({ message: 'Wait' });
  const first = await reader.until('command.started');
  await guest.hanging();
  fixture.services.clock.advance(COMMAND_TIMEOUT_MS);
  golden(t, 'command-timeout', transcript([first, ...(await reader.all())]));
});

test('a run that does not end', async (t) => {
  const { fixture } = await setUp(t, [{ command: 'sleep 30' }]);
  const reader = await fixture.open({ message: 'Wait and wait' });
  // Each command ends with its own timeout; the run's timeout is reached in the middle of one.
  let started = await reader.until('command.started');
  const { clock } = fixture.services;
  for (let passed = 0; passed + COMMAND_TIMEOUT_MS < RUN_TIMEOUT_MS; passed += COMMAND_TIMEOUT_MS) {
    clock.advance(COMMAND_TIMEOUT_MS);
    started = await reader.until('command.started');
  }
  clock.advance(COMMAND_TIMEOUT_MS - 1);
  golden(t, 'run-timeout', transcript([started, ...(await reader.all())]));
});

test('the model fails', async (t) => {
  const cases: [string, Answer[]][] = [
    ['refuses', [{ status: 400 }]],
    ['breaks off', [{ text: 'I would ', breaksOff: true }]],
    ['is no model', [{ invalidToolCall: '<html>Welcome</html>' }]],
    ['calls another tool', [{ toolName: 'delete_everything', command: 'df -h' }]],
    ['writes no JSON', [{ rawArguments: '{"command": ' }]],
    ['gives no command', [{ rawArguments: '{"reason": "because"}' }]],
    ['gives an empty command', [{ command: '  ' }]],
  ];
  const transcripts: string[] = [];
  const { fixture, guest, model } = await setUp(t, []);
  for (const [name, script] of cases) {
    model.become(script);
    const events = await fixture.run({ message: 'Help' });
    transcripts.push(`# the model ${name}\n${transcript(events)}`);
    assert.ok(model.requests.length <= MAX_NONSENSE, 'a model that does not learn is not asked for ever');
    assert.doesNotMatch(JSON.stringify(events), /secret detail/);
  }
  assert.deepEqual(guest.ran, []);
  golden(t, 'model-failure', transcripts.join('\n'));
});

test('a rate-limited model is retried twice, then the customer has to', async (t) => {
  const { fixture, model } = await setUp(t, [{ status: 429 }]);
  const reader = await fixture.open({ message: 'Help' });
  const over = reader.all();
  const { clock } = fixture.services;
  for (let tries = 1; tries < 3; tries++) {
    await waitFor(() => model.requests.length === tries && clock.sleeping > 0);
    await settled();
    clock.advance(5_000);
  }
  golden(t, 'model-rate-limited', transcript(await over));
  assert.equal(model.requests.length, 3);
});

test('a model that falls silent', async (t) => {
  const { fixture, model } = await setUp(t, [{ text: 'Let me ', stalls: true }]);
  const reader = await fixture.open({ message: 'Help' });
  const first = await reader.until('message.delta');
  await model.stalled();
  await reader.until('message.delta');
  fixture.services.clock.advance(MODEL_SILENCE_MS);
  golden(t, 'model-silent', transcript([first, ...(await reader.all())]));
});

test('two calls at once: only the first is considered', async (t) => {
  const { fixture, guest } = await setUp(t, [{ command: 'df -h', second: 'uptime' }, { text: 'Full.' }]);
  await fixture.run({ message: 'Look' });
  assert.deepEqual(guest.ran, ['df -h']);
});

test('a client that hangs up in mid-command', async (t) => {
  const { fixture, guest, model } = await setUp(t, [{ command: 'sleep 30' }, { command: 'df -h' }]);
  const reader = await fixture.open({ message: 'Wait, then look' });
  const events = [await reader.until('run.started'), await reader.until('command.started')];
  await guest.hanging();
  reader.hangUp();
  golden(t, 'disconnect', transcript(events));
  assert.equal((await fixture.status()).state, 'running', 'the command goes on');
  assert.equal(guest.ended, false);
  guest.finish({ stdout: 'finished after all\n', code: 3 });
  await waitFor(async () => (await fixture.status()).state === 'idle');
  const { history } = await fixture.status();
  assert.deepEqual([history.at(-1).content, history.at(-1).exit_code], ['finished after all\n', 3]);
  assert.deepEqual(guest.ran, ['sleep 30'], 'no other starts');
  assert.equal(model.requests.length, 1);
});

test('two runs at once', async (t) => {
  const { fixture, guest } = await setUp(t, [{ command: 'sleep 30' }, { text: 'Done.' }]);
  const reader = await fixture.open({ message: 'Wait' });
  const started = await reader.until('run.started');
  const second = await fixture.refused({ message: 'Me too' });
  assert.deepEqual(
    [second.status, second.code, second.details],
    [409, 'agent_busy', { run_id: started.run_id }],
  );
  const clear = await fixture.call('POST', `/v1/vm/${fixture.vm.id}/ai-agent/clear`);
  assert.deepEqual([clear.status, clear.json.error.code], [409, 'agent_busy']);
  await guest.hanging();
  guest.finish({ stdout: 'done\n' });
  golden(t, 'two-runs', transcript([started, ...(await reader.all())]));
});
