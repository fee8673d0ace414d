import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Installation } from '../../acceptance/support/start.ts';
import { type Fault, faulty, newCustomer } from '../support/cloud.ts';
import { Refused, type Resource } from '../support/engine.ts';

const WEB = { plan: 's1', template: 'debian-12', hostname: 'web-1' };
const CUSTOM = { template: 'debian-12', hostname: 'own-1', vcpu: 2, ram_mb: 2048, disk_gb: 40 };

/** Returns the error of a refused apply, with the remaining resource. */
async function refusal(applied: Promise<unknown>): Promise<Refused> {
  const error = await applied.then(
    () => undefined,
    (error: unknown) => error,
  );
  assert.ok(error instanceof Refused, `not refused: ${error}`);
  return error;
}

/** Nothing is charged twice or above the displayed price, and an apply that fails half-way is refunded. */
export async function money(t: TestContext, cloud: Installation, provider: string): Promise<void> {
  let fault: (method: string, path: string) => Fault = () => undefined;
  const url = await faulty(t, cloud.baseUrl(), (method, path) => fault(method, path));
  const newOne = (balance: number) => newCustomer(t, cloud, { provider, balance, url });

  await t.test('a purchase whose reply is lost, or that is applied twice, is made once', async () => {
    const { engine, balance, orders } = await newOne(1_000);
    let lost = 0;
    fault = (method, path) => (method === 'POST' && path === '/v1/vm' && lost++ === 0 ? 'lost' : undefined);
    const plan = await engine.plan('vauban_vm', WEB);
    const first = (await engine.applyOnce(plan))!;
    assert.equal(lost, 2);
    const again = (await engine.applyOnce(plan))!;
    assert.equal(again.state.id, first.state.id);
    assert.equal(await balance(), 1_000 - 399);
    let deleted = 0;
    fault = (method) => (method === 'DELETE' && deleted++ === 0 ? 'lost' : undefined);
    await engine.destroy(first);
    assert.ok(deleted > 1);
    assert.deepEqual(
      (await orders()).map(({ kind }) => kind),
      ['create', 'delete_refund'],
    );
  });

  await t.test('a price above the limit, or the wallet, is refused and changes nothing', async () => {
    const { engine, balance, orders } = await newOne(500);
    const dear = await engine.plan('vauban_vm', { ...WEB, max_charge_minor: 398 });
    assert.match((await refusal(engine.applyOnce(dear))).message, /price_changed/);
    const large = await refusal(engine.applyOnce(await engine.plan('vauban_vm', { ...WEB, plan: 's2' })));
    assert.match(large.message, /insufficient_funds/);
    assert.equal(large.resource, undefined);
    assert.deepEqual([await balance(), await orders()], [500, []]);
    const vm = await engine.make('vauban_vm', { ...WEB, max_charge_minor: 399, allow_reboot: true });
    const wish = { ...WEB, plan: 's2', allow_reboot: true, max_charge_minor: 10 };
    const refused = await refusal(engine.applyOnce(await engine.plan('vauban_vm', wish, vm)));
    assert.match(refused.message, /price_changed|insufficient_funds/);
    assert.equal(refused.resource!.state.plan, 's1');
    assert.equal(await balance(), 500 - 399);
  });

  await t.test('a custom size costs as quoted', async () => {
    const { engine, balance, orders } = await newOne(2_000);
    fault = () => undefined;
    const vm = await engine.make('vauban_vm', CUSTOM);
    assert.equal(vm.state.max_charge_minor, 840 + 1);
    assert.deepEqual([vm.state.plan, vm.state.vcpu, vm.state.wanted_power], [null, 2, 'on']);
    const made = await orders();
    assert.deepEqual(
      made.map(({ kind }) => kind),
      ['create', 'change_custom'],
    );
    const paid = made.reduce((sum, { amount_minor }) => sum + amount_minor, 0);
    assert.ok(paid >= 839 && paid <= 841, `${paid}`);
    assert.equal(await balance(), 2_000 - paid);
    const off = await engine.make('vauban_vm', { ...CUSTOM, hostname: 'own-2', wanted_power: 'off' });
    assert.equal(off.state.wanted_power, 'off');
    const small = { ...CUSTOM, hostname: 'own-3', disk_gb: 10, max_charge_minor: 2_000 };
    const none = await refusal(engine.applyOnce(await engine.plan('vauban_vm', small)));
    assert.match(none.message, /No plan can be changed to this size/);
  });

  await t.test('a VM that cannot have its size is refunded', async () => {
    const { engine, balance, orders, client } = await newOne(2_000);
    const limited = await engine.plan('vauban_vm', { ...CUSTOM, max_charge_minor: 500 });
    const refused = await refusal(engine.applyOnce(limited));
    assert.match(refused.message, /price_changed/);
    assert.equal(refused.resource, undefined);
    assert.deepEqual(
      (await orders()).map(({ kind }) => kind),
      ['create', 'delete_refund'],
    );
    assert.ok((await balance()) >= 2_000 - 1);
    assert.deepEqual(await client.ok('listVms'), []);
  });

  await t.test('one that cannot be refunded either stays known to Terraform', async () => {
    const { engine, client } = await newOne(2_000);
    fault = (method) => (method === 'DELETE' ? { status: 409, code: 'invalid_state' } : undefined);
    const limited = await engine.plan('vauban_vm', { ...CUSTOM, max_charge_minor: 500 });
    const { message, resource } = await refusal(engine.applyOnce(limited));
    assert.match(message, /could not be deleted/);
    fault = () => undefined;
    await engine.destroy(resource as Resource);
    assert.deepEqual(await client.ok('listVms'), []);
  });

  await t.test('a lock that does not end is waited for as long as the configuration says', async () => {
    const { engine, client } = await newOne(1_000);
    const vm = await engine.make('vauban_vm', WEB);
    let locked = 0;
    fault = (_, path) => {
      if (!path.endsWith('/snapshots') || locked === 0) return undefined;
      locked--;
      return { status: 409, code: 'vm_locked' };
    };
    const wish = { vm_id: vm.state.id, name: 'first', timeouts: { create: '1s' } };
    const plan = await engine.plan('vauban_snapshot', wish);
    locked = 1_000_000;
    assert.match((await refusal(engine.applyOnce(plan))).message, /time limit set by `timeouts` was reached/);
    assert.deepEqual(await client.ok('listSnapshots', { at: [vm.state.id as string] }), []);
    locked = 0;
    const patient = await engine.plan('vauban_snapshot', { ...wish, timeouts: { create: '10m' } });
    locked = 2;
    const snapshot = (await engine.applyOnce(patient))!;
    assert.equal(snapshot.state.name, 'first');
  });
}
