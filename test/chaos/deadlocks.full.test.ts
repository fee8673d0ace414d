// Runs on both engines: the embedded one has a single connection, on which nothing may wait for itself.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deadlocks } from '../support/deadlocks.ts';
import { startService } from '../support/service.ts';
import { type Customer, newCustomer } from './support/customer.ts';

const CLIENTS = 6;
const ROUNDS = 40;
const UNLIMITED = { VAUBAN_RATE_LIMIT_KEY: '1000000', VAUBAN_RATE_LIMIT_ACCOUNT: '1000000' };

async function addAndDelete(customer: Customer, vm: string, round: number): Promise<void> {
  const rule = await customer.ask('POST', `/v1/vm/${vm}/firewall`, {
    direction: 'in',
    action: 'accept',
    protocol: 'tcp',
    ports: `${1000 + round}`,
    cidrs: ['198.51.100.0/24'],
  });
  await customer.ask('DELETE', `/v1/vm/${vm}/firewall/${rule.id}`);
  const forward = await customer.ask('POST', `/v1/vm/${vm}/port-forwarding`, {
    protocol: 'tcp_udp',
    internal_port: 22,
  });
  await customer.ask('DELETE', `/v1/vm/${vm}/port-forwarding/${forward.id}`);
}

test('subresources of a VM that are added and deleted at once are neither refused nor deadlocked', async (t) => {
  const service = await startService(t, { env: { VAUBAN_SIMULATOR_BOOT_SECONDS: '0', ...UNLIMITED } });
  const customer = await newCustomer(service);
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      const { vm } = await customer.ask('POST', '/v1/vm', {
        plan: 's1',
        template: 'debian-12',
        hostname: 'web-1',
      });
      await customer.settled(vm.id);
      for (let round = 0; round < ROUNDS; round++) await addAndDelete(customer, vm.id, round);
    }),
  );
  await service.stop();
  const db = await service.location.open();
  try {
    // Not even deadlocks that a retry resolved.
    assert.equal(await deadlocks(db), 0);
  } finally {
    await db.close();
  }
});
