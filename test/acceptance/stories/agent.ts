import assert from 'node:assert/strict';
import { eventsOf } from '../support/checks.ts';
import type { Client } from '../support/client.ts';
import { newVm, type Subject } from '../support/world.ts';

/** The unconfigured agent: it inspects, answers, asks before it does harm, and does one thing at a time. */

interface Status {
  state: string;
  model: { provider: string };
  pending_approval: { id: string; command: string } | null;
  history: { role: string; command: string | null; exit_code: number | null }[];
}

async function run(client: Client, id: string, body: object) {
  const answer = await client.call('runAgent', { at: [id], body });
  assert.equal(answer.status, 200, answer.text);
  return eventsOf(answer);
}

const types = (events: Record<string, unknown>[]) => events.map(({ type }) => type);

async function asks(client: Client, id: string): Promise<void> {
  const events = await run(client, id, { message: 'Is the disk full?' });
  assert.equal(events.at(-1)!.stop_reason, 'completed');
  assert.deepEqual(types(events).slice(-1), ['run.completed']);
  assert.ok(types(events).includes('command.output'));
  const { state, model, history } = await client.ok<Status>('getAgentStatus', { at: [id] });
  assert.deepEqual([state, model.provider], ['idle', 'runbook']);
  const commands = history.filter(({ role }) => role === 'command');
  assert.ok(
    commands.length > 0 && commands.every(({ exit_code }) => exit_code === 0),
    JSON.stringify(history),
  );
}

async function approves(client: Client, id: string): Promise<void> {
  const asked = await run(client, id, { message: 'Run `touch /tmp/approved`' });
  assert.deepEqual(types(asked).slice(-2), ['approval.required', 'run.completed']);
  const { pending_approval: pending } = await client.ok<Status>('getAgentStatus', { at: [id] });
  assert.equal(pending?.command, 'touch /tmp/approved');
  const approval = { id: pending!.id, decision: 'approve' };
  const done = await run(client, id, { approval });
  const completed = done.find(({ type }) => type === 'command.completed');
  assert.equal(completed?.exit_code, 0, JSON.stringify(done));
  await client.refused('runAgent', 'approval_not_pending', { at: [id], body: { approval } });
}

/** Sends two requests at once, of which one must be refused as busy; repeats them until they overlap. */
async function oneAtATime(client: Client, id: string): Promise<void> {
  const message = { at: [id], body: { message: 'Check the health' } };
  for (const other of [
    () => client.call('runAgent', message),
    () => client.call('clearAgent', { at: [id] }),
  ]) {
    for (let met = false; !met; ) {
      let isOver = false;
      const first = client.call('runAgent', message).finally(() => {
        isOver = true;
      });
      // A run begins a moment after the request, because its guest is inspected first.
      while (!met && !isOver) met = (await other()).code === 'agent_busy';
      met = (await first).code === 'agent_busy' || met;
    }
  }
}

export async function agent({ client }: Subject): Promise<void> {
  const { id } = await newVm(client, 'agent');
  await asks(client, id);
  await approves(client, id);
  await oneAtATime(client, id);
  await client.ok('clearAgent', { at: [id] });
  const { history } = await client.ok<Status>('getAgentStatus', { at: [id] });
  assert.deepEqual(history, []);
}
