import assert from 'node:assert/strict';
import { sql } from '../../server/db/database.ts';
import { setHostState } from '../../server/db/queries/hosts/hosts.ts';
import { emptyHosts } from '../../server/jobs/reconcilers/empty-hosts.ts';
import { BELIEVED_AFTER_MS } from '../../server/jobs/reconcilers/reconcile-guests.ts';
import type { Call, Customer } from '../jobs/support/customer.ts';
import { unfinishedJobs } from '../jobs/support/installation.ts';
import { Prng } from '../simulation/prng.ts';
import { order, type Rack } from './support.ts';

const STEPS = 25;
/** Probability that a host is lost or found between two steps of a job. */
const LOSS_RATE = 0.04;

interface Owned {
  id: string;
  customer: Customer;
  ipv4: string;
}

/** Customers who act while hosts are lost, found and drained, all driven by one seed; and the checks at the end. */
export class HostWorld {
  readonly #rack: Rack;
  readonly #hosts: readonly string[];
  readonly #prng: Prng;
  readonly #vms: Owned[] = [];
  #customers: Customer[] = [];
  #lost: string | undefined;
  #calm = false;

  constructor(rack: Rack, hosts: readonly string[], seed: number) {
    this.#rack = rack;
    this.#hosts = hosts;
    this.#prng = new Prng(`hosts ${seed}`);
  }

  /** Called around each step of a job. */
  async betweenSteps(): Promise<void> {
    if (!this.#calm && this.#prng.chance(LOSS_RATE)) await this.#loseOrFind();
  }

  async run(): Promise<void> {
    this.#customers = [await this.#rack.customer(), await this.#rack.customer()];
    for (let step = 0; step < STEPS; step++) {
      await this.#act();
      if (this.#prng.chance(0.6)) await this.#letTimePass();
    }
    await this.#calmDown();
    await this.#check();
    await this.#clear();
  }

  async #act(): Promise<void> {
    const { db } = this.#rack;
    const host = this.#prng.pick(this.#hosts)!;
    const kind = this.#prng.between(0, 9);
    if (kind < 3 || this.#vms.length === 0) return this.#buy();
    if (kind === 3) return this.#loseOrFind();
    if (kind === 4) return setHostState(db, host, this.#prng.chance(0.5) ? 'draining' : 'up');
    const { id, customer } = this.#prng.pick(this.#vms)!;
    const wishes: Call[] = [
      { method: 'POST', path: `/v1/vm/${id}/start` },
      { method: 'POST', path: `/v1/vm/${id}/stop` },
      { method: 'POST', path: `/v1/vm/${id}/force-stop` },
      { method: 'POST', path: `/v1/vm/${id}/change-plan`, body: { plan: 's4', allow_reboot: true } },
      { method: 'POST', path: `/v1/vm/${id}/snapshots` },
      { method: 'DELETE', path: `/v1/vm/${id}` },
    ];
    const { status, error } = await customer.call(this.#prng.pick(wishes)!);
    // Only refusals that give the customer a reason are allowed.
    assert.ok([200, 404, 409, 422, 503].includes(status), error?.message);
  }

  async #buy(): Promise<void> {
    const customer = this.#prng.pick(this.#customers)!;
    const { status, data } = await customer.call(order({ start: this.#prng.chance(0.7) }));
    assert.ok(status === 200 || status === 503, `${status}`);
    if (status === 200) this.#vms.push({ id: data.vm.id, customer, ipv4: data.vm.ipv4 });
  }

  /** At most one host is lost at a time. The service may learn about it late. */
  async #loseOrFind(): Promise<void> {
    const { outages } = this.#rack.installation.services.compute;
    if (this.#lost) await outages!.find(this.#lost);
    this.#lost = this.#lost ? undefined : this.#prng.pick(this.#hosts)!;
    if (this.#lost) await outages!.lose(this.#lost);
    if (this.#prng.chance(0.7)) await this.#rack.watch.run();
  }

  async #letTimePass(): Promise<void> {
    const { services } = this.#rack.installation;
    await this.#rack.watch.run();
    await emptyHosts(services);
    for (const id of await unfinishedJobs(services.db)) await this.#rack.node.runner.runToEnd(id);
    await services.guests.run();
    services.clock.advance(BELIEVED_AFTER_MS * this.#prng.between(1, 4));
  }

  /** All hosts are reachable and accept VMs; everything in progress completes. */
  async #calmDown(): Promise<void> {
    this.#calm = true;
    const { services } = this.#rack.installation;
    if (this.#lost) await services.compute.outages!.find(this.#lost);
    for (const host of this.#hosts) await setHostState(services.db, host, 'up');
    for (let round = 0; round < 3; round++) {
      await this.#rack.watch.run();
      await this.#rack.finish();
      await services.guests.run();
      services.clock.advance(BELIEVED_AFTER_MS);
    }
    await this.#rack.finish();
  }

  async #check(): Promise<void> {
    const { db, installation } = this.#rack;
    const guests = await installation.services.compute.list();
    const vms = await db.query<{
      id: string;
      host_id: string;
      moving_to: string | null;
      status: string;
      made: boolean;
    }>(sql`
      select id, host_id, moving_to, status, provisioned_at is not null as made from vms where deleted_at is null`);
    const made = vms.filter((vm) => vm.made);
    // One copy of each guest, on its recorded host, and none of a deleted VM.
    assert.deepEqual(
      guests.map(({ id, hostId }) => `${id} ${hostId}`).toSorted(),
      made.map(({ id, host_id }) => `${id} ${host_id}`).toSorted(),
    );
    for (const vm of made) {
      assert.equal(vm.moving_to, null);
      const power = guests.find(({ id }) => id === vm.id)!.power;
      assert.equal(vm.status, power === 'off' ? 'stopped' : 'running', vm.id);
    }
    for (const { id, ipv4 } of this.#vms) {
      const owned = made.some((vm) => vm.id === id);
      const [held] = await db.query(sql`
        select host(address) as ipv4 from ip_addresses where vm_id = ${id} and family(address) = 4`);
      assert.deepEqual(held, owned ? { ipv4 } : undefined);
      const charged = await db.query(
        sql`select 1 from orders where vm_id = ${id} and kind = 'create' and status = 'completed'`,
      );
      assert.ok(charged.length <= 1 && (charged.length === 1 || !owned), id);
    }
    const [left] = await db.query(sql`
      select (select count(*)::int from jobs where status in ('pending', 'running')) as jobs,
        (select count(*)::int from orders where status = 'pending') as orders,
        (select count(*)::int from reservations r join vms on vms.id = r.vm_id where provisioned_at is null) as rooms`);
    assert.deepEqual(left, { jobs: 0, orders: 0, rooms: 0 });
  }

  async #clear(): Promise<void> {
    for (const { id, customer } of this.#vms) await customer.call({ method: 'DELETE', path: `/v1/vm/${id}` });
    await this.#rack.finish();
    assert.deepEqual(await this.#rack.installation.services.compute.list(), []);
  }
}
