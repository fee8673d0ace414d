import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newCustomer } from '../chaos/support/customer.ts';
import { type Service, startService } from '../support/service.ts';
import { EventReader } from './support/event-reader.ts';
import { startModel } from './support/model-server.ts';

type Customer = Awaited<ReturnType<typeof newCustomer>>;

async function open(customer: Customer, vmId: string): Promise<EventReader> {
  const hangUp = new AbortController();
  const response = await fetch(`${customer.target.baseUrl}/v1/vm/${vmId}/ai-agent`, {
    method: 'POST',
    signal: hangUp.signal,
    headers: { authorization: `Bearer ${customer.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ message: 'Wait a while' }),
  });
  return new EventReader(response, hangUp);
}

test('killed in the middle of a command, then told to stop in the middle of another', async (t) => {
  const model = await startModel(t, [{ text: 'I wait. ', command: 'sleep 30' }]);
  const env = {
    VAUBAN_SIMULATOR_BOOT_SECONDS: '0',
    VAUBAN_AGENT_PROVIDER: 'openai-compatible',
    VAUBAN_AGENT_MODEL: 'test-model',
    VAUBAN_AGENT_BASE_URL: model.baseUrl,
    VAUBAN_AGENT_API_KEY: 'sk-never-to-be-seen',
  };
  const first = await startService(t, { env });
  const customer = await newCustomer(first);
  const { vm } = await customer.ask('POST', '/v1/vm', {
    plan: 's1',
    template: 'debian-12',
    hostname: 'web-1',
  });
  await customer.settled(vm.id);
  const path = `/v1/vm/${vm.id}/ai-agent`;

  await (await open(customer, vm.id)).until('command.started');
  await first.kill();
  const second: Service = await startService(t, { env, location: first.location });
  customer.target = second;
  const { state, pending_approval, history } = await customer.ask('GET', `${path}/status`);
  assert.deepEqual([state, pending_approval], ['idle', null]);
  assert.deepEqual(
    history.map(({ role, content }: { role: string; content: string }) => [role, content]),
    [
      ['user', 'Wait a while'],
      ['assistant', 'I wait. '],
      ['command', '[the service stopped while this command was running; it may or may not have finished]'],
      ['system', 'The run was interrupted because the service stopped.'],
    ],
  );

  model.become([{ text: 'Thinking ', stalls: true }]);
  const reader = await open(customer, vm.id);
  await reader.until('message.delta');
  const [events] = await Promise.all([reader.all(), second.stop()]);
  assert.deepEqual(
    events.slice(-2).map(({ code, stop_reason }) => code ?? stop_reason),
    ['service_stopping', 'canceled'],
  );
  for (const service of [first, second]) assert.doesNotMatch(service.output(), /never-to-be-seen/);
});
