import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { PING_MS } from '../../server/agent/limits.ts';
import { reapOrphanedRuns } from '../../server/agent/reap-orphaned-runs.ts';
import { sql } from '../../server/db/database.ts';
import { revokeKey } from '../../server/db/queries/access/api-keys.ts';
import { insertAgentRun } from '../../server/db/queries/vms/agent-runs.ts';
import { updateVm } from '../../server/db/queries/vms/vms.ts';
import { storedVm } from '../billing/support.ts';
import { startGuest } from './support/guest.ts';
import { startModel } from './support/model-server.ts';
import { openFixture } from './support/stage.ts';

/** Starts a run and brings it to the middle of a command that hangs. */
async function midCommand(t: TestContext) {
  const guest = await startGuest(t, () => ({ hangs: true }));
  const model = await startModel(t, [{ command: 'sleep 30' }]);
  const fixture = await openFixture(t, { guest, model });
  const reader = await fixture.open({ message: 'Wait' });
  await reader.until('command.started');
  await guest.hanging();
  return { guest, fixture, reader };
}

const ending = (events: { type: string; code?: string; stop_reason?: string }[]) =>
  events.slice(-2).map(({ code, stop_reason }) => code ?? stop_reason);

test('a VM that stops or is deleted ends its run, and the command with it', async (t) => {
  const { guest, fixture, reader } = await midCommand(t);
  const { db, clock, signals } = fixture.services;
  await db.transaction(async (tx) => {
    await updateVm(tx, fixture.vm.id, { status: 'deleting' }, clock.now());
    await signals.vmChanged(tx, fixture.vm.id);
  });
  assert.deepEqual(ending(await reader.all()), ['vm_not_running', 'canceled']);
  const { state, history } = await fixture.status();
  assert.equal(state, 'idle');
  assert.match(history.at(-1).content, /no longer running/);
  assert.equal((await fixture.refused({ message: 'Go on' })).code, 'invalid_state');
  assert.deepEqual(guest.ran, ['sleep 30']);
});

test('a key that is revoked ends its run', async (t) => {
  const { fixture, reader } = await midCommand(t);
  const { db, clock } = fixture.services;
  await revokeKey(db, fixture.keyId, clock.now());
  clock.advance(2_000);
  assert.deepEqual(ending(await reader.all()), ['key_revoked', 'canceled']);
});

test('a service that stops tells its clients, and refuses new runs', async (t) => {
  const { fixture, reader, guest } = await midCommand(t);
  const stopped = fixture.services.agent.stop();
  guest.finish({ stdout: 'just in time\n' });
  const events = await reader.all();
  await stopped;
  assert.deepEqual(ending(events), ['service_stopping', 'canceled']);
  assert.equal(events.find(({ type }) => type === 'command.completed')!.exit_code, 0);
  const { status, code } = await fixture.refused({ message: 'Go on' });
  assert.deepEqual([status, code], [503, 'agent_unavailable']);
});

test('a stream is kept open by pings, has the rate headers, and is counted', async (t) => {
  const { fixture, reader, guest } = await midCommand(t);
  for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-request-id'])
    assert.ok(reader.headers.get(name), name);
  assert.equal(reader.headers.get('cache-control'), 'no-store');
  fixture.services.clock.advance(PING_MS);
  const metrics = await fixture.services.metrics.text();
  assert.match(metrics, /^vauban_agent_runs 1$/m);
  const stopped = fixture.services.agent.stop();
  guest.finish({});
  await reader.all();
  await stopped;
  assert.deepEqual(reader.comments, ['ping']);
  const after = await fixture.services.metrics.text();
  assert.match(after, /^vauban_agent_runs 0$/m);
  assert.match(after, /^vauban_agent_runs_ended_total\{reason="canceled"\} 1$/m);
  assert.match(after, /^vauban_agent_commands_total\{risk="safe",outcome="ran"\} 1$/m);
});

test('a run whose end cannot be written does not stay active', async (t) => {
  const { fixture, reader, guest } = await midCommand(t);
  const { db, clock, agent } = fixture.services;
  await db.script(
    `create function broken() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
     create trigger broken before update on agent_runs for each row execute function broken()`,
    { ddl: true },
  );
  const stopped = agent.stop();
  guest.finish({});
  let over = false;
  void stopped.then(() => {
    over = true;
  });
  while (!over) {
    clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await assert.rejects(reader.all(), /run\.completed/, 'an end that is not written is not told');
  assert.equal(clock.sleeping, 0, 'its deadline and its watch have ended');
  await db.script('drop trigger broken on agent_runs', { ddl: true });
  assert.equal((await fixture.status()).state, 'running');
  await reapOrphanedRuns(fixture.services);
  await reapOrphanedRuns(fixture.services);
  assert.equal((await fixture.status()).state, 'idle');
});

test('a run that cannot be ended blocks no other, and is logged once', async (t) => {
  const fixture = await openFixture(t, {});
  const { db, clock, metrics } = fixture.services;
  const left = ['run_a', 'run_b', 'run_c'];
  for (const id of left) {
    const { id: vmId, account_id } = await storedVm(db, clock, fixture.vm.account_id, {});
    await insertAgentRun(
      db,
      {
        id,
        account_id,
        vm_id: vmId,
        session_id: 'ses_a',
        principal_id: fixture.keyId,
        approval_mode: 'never',
        max_steps: 1,
        started_at: clock.now(),
      },
      1n,
    );
  }
  await db.script(
    `create function broken() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
     create trigger broken before update on agent_runs for each row when (old.id = 'run_a') execute function broken()`,
    { ddl: true },
  );
  const open = async () =>
    (await db.query<{ id: string }>(sql`select id from agent_runs where state = 'running'`)).map(
      ({ id }) => id,
    );
  await reapOrphanedRuns(fixture.services);
  assert.deepEqual(await open(), ['run_a']);
  assert.match(await metrics.text(), /task="settle_agent_run"\} 1$/m);
  await db.script('drop trigger broken on agent_runs', { ddl: true });
  await reapOrphanedRuns(fixture.services);
  assert.deepEqual(await open(), []);
});

test('a body that is neither a message nor an approval, or is both, changes nothing', async (t) => {
  const fixture = await openFixture(t, {});
  const approval = { id: 'apr_1', decision: 'approve' };
  const cases: [object, string][] = [
    [{}, 'message'],
    [{ message: 'Hi', approval }, 'message'],
    [{ message: '' }, 'message'],
    [{ message: 'x'.repeat(8_001) }, 'message'],
    [{ message: 'Hi', max_steps: 51 }, 'max_steps'],
    [{ message: 'Hi', approval_mode: 'sometimes' }, 'approval_mode'],
    [{ approval, approval_mode: 'never' }, 'approval_mode'],
    [{ approval, max_steps: 3 }, 'max_steps'],
    [{ approval: { id: 'apr_1', decision: 'perhaps' } }, 'approval.decision'],
  ];
  for (const [body, field] of cases) {
    const { status, code, details } = await fixture.refused(body);
    assert.deepEqual([status, code], [422, 'validation_failed'], JSON.stringify(body));
    assert.equal((details.fields as { field: string }[])[0]!.field, field, JSON.stringify(body));
  }
  assert.deepEqual(
    await fixture.status().then(({ state, session_id, history }) => [state, session_id, history]),
    ['idle', null, []],
  );
});
