// Runs on both engines: transactions interleave differently.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertInvariants } from '../support/invariants.ts';
import { startService } from '../support/service.ts';
import { type Customer, newCustomer, type Reply } from './support/customer.ts';

/** A VM of plan s1 costs 3.99 per month. */
const CREATE = { plan: 's1', template: 'debian-12', hostname: 'web-1' };

function creations(customer: Customer, count: number): Promise<Reply[]> {
  return Promise.all(
    Array.from({ length: count }, (_, i) =>
      customer.send('POST', '/v1/vm', { body: CREATE, idempotencyKey: `creation-${i}` }),
    ),
  );
}

/** Counts the replies by error code; "ok" for successes. */
function codes(replies: Reply[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { json } of replies) {
    const code = json.error?.code ?? 'ok';
    counts[code] = (counts[code] ?? 0) + 1;
  }
  return counts;
}

async function settledVms(customer: Customer, replies: Reply[]) {
  const made = replies.filter(({ status }) => status === 200);
  return Promise.all(made.map(({ json }) => customer.settled(json.data.vm.id)));
}

test('concurrent requests for the last of something get exactly that many', async (t) => {
  const service = await startService(t, {
    env: {
      VAUBAN_SIMULATOR_BOOT_SECONDS: '0',
      VAUBAN_RATE_LIMIT_KEY: '1000000',
      VAUBAN_RATE_LIMIT_ACCOUNT: '1000000',
    },
  });
  const addresses: string[] = [];

  await t.test('of fifty creations a wallet pays for the seven that it covers', async () => {
    const customer = await newCustomer(service, { credit: '31.91' });
    const replies = await creations(customer, 50);
    assert.deepEqual(codes(replies), { ok: 7, insufficient_funds: 43 });
    for (const vm of await settledVms(customer, replies)) {
      assert.equal(vm.status, 'running');
      addresses.push(vm.ipv4, vm.ipv6);
    }
    const { available_minor, held_minor } = await customer.ask('GET', '/v1/billing/wallet');
    assert.deepEqual([available_minor, held_minor], [3191 - 7 * 399, 0]);
    const refused = replies.find(({ status }) => status === 402)!.json.error.details;
    assert.equal(refused.shortfall_minor, refused.required_minor - refused.available_minor);
  });

  await t.test('of thirty creations a quota admits five', async () => {
    const customer = await newCustomer(service, { credit: '1000', limits: { vms: 5 } });
    const replies = await creations(customer, 30);
    assert.deepEqual(codes(replies), { ok: 5, quota_exceeded: 25 });
    for (const vm of await settledVms(customer, replies)) addresses.push(vm.ipv4, vm.ipv6);
  });

  await t.test('no address is assigned twice, to any account', async () => {
    const customers = [await newCustomer(service), await newCustomer(service), await newCustomer(service)];
    const replies = await Promise.all(customers.map((customer) => creations(customer, 10)));
    for (const [index, made] of replies.entries()) {
      assert.deepEqual(codes(made), { ok: 10 });
      for (const vm of await settledVms(customers[index]!, made)) addresses.push(vm.ipv4, vm.ipv6);
    }
    assert.equal(addresses.length, 2 * (7 + 5 + 30));
    assert.equal(new Set(addresses).size, addresses.length);
  });

  await t.test(
    'one of twenty port forwards gets the port, and those without a preference get one each',
    async () => {
      const customer = await newCustomer(service);
      const vms = await settledVms(customer, await creations(customer, 2));
      const forward = (external_port: number | null) => (_: unknown, index: number) =>
        customer.send('POST', `/v1/vm/${vms[index % 2].id}/port-forwarding`, {
          body: { protocol: 'tcp', external_port, internal_port: 80 },
        });
      const fixed = await Promise.all(Array.from({ length: 20 }, forward(25_000)));
      assert.deepEqual(codes(fixed), { ok: 1, port_in_use: 19 });
      const chosen = await Promise.all(Array.from({ length: 20 }, forward(null)));
      assert.deepEqual(codes(chosen), { ok: 20 });
      assert.equal(new Set(chosen.map(({ json }) => json.data.external_port)).size, 20);
    },
  );

  await service.stop();
  const db = await service.location.open();
  await assertInvariants(db).finally(() => db.close());
});
