import type { TestContext } from 'node:test';
import { HostWatch } from '../../server/cluster/host-watch.ts';
import type { SimulatorOptions } from '../../server/compute/simulator/simulator.ts';
import { type Database, sql } from '../../server/db/database.ts';
import type { StepHook } from '../../server/jobs/execution.ts';
import { type Call, type Customer, openCustomer } from '../jobs/support/customer.ts';
import { PURCHASE } from '../jobs/support/fixture.ts';
import { type Installation, openInstallation, runJobs, type TestNode } from '../jobs/support/installation.ts';
import { defer } from '../support/cleanup.ts';
import { freshDatabase } from '../support/database.ts';

const FUNDS = 1_000_00n;
const PLENTY = { vms: 1_000, vcpu: 10_000, ram_mb: 100_000_000, disk_gb: 1_000_000 };

/** RAM of plan s2, which {@link order} orders. */
export const S2_MB = 4_096;

export const order = (wish: object = {}): Call => ({
  method: 'POST',
  path: '/v1/vm',
  body: { ...PURCHASE, start: false, ...wish },
});

/** An installation on simulated hosts, on the test's clock. */
export class Rack {
  readonly installation: Installation;
  readonly node: TestNode;
  readonly watch: HostWatch;

  /** `hook` is called around each step of a job. */
  static async open(t: TestContext, simulator: Partial<SimulatorOptions>, hook?: StepHook): Promise<Rack> {
    const installation = await openInstallation(await freshDatabase(t), { simulator });
    defer(t, () => installation.close());
    return new Rack(installation, await installation.openNode(hook));
  }

  private constructor(installation: Installation, node: TestNode) {
    this.installation = installation;
    this.node = node;
    this.watch = new HostWatch(installation.services);
  }

  get db(): Database {
    return this.installation.services.db;
  }

  customer(): Promise<Customer> {
    return openCustomer(this.installation, FUNDS, PLENTY);
  }

  /** Buys a VM and waits until it exists. */
  async buy(customer: Customer, wish: object = {}): Promise<string> {
    const { vm } = await customer.must(order(wish));
    await this.finish();
    return vm.id;
  }

  /** Runs every job that can end to completion. */
  finish(): Promise<void> {
    return runJobs(this.installation, this.node);
  }

  /** Makes a host unreachable and lets the service notice. */
  async lose(hostId: string): Promise<void> {
    await this.installation.services.compute.outages!.lose(hostId);
    await this.watch.run();
  }

  async find(hostId: string): Promise<void> {
    await this.installation.services.compute.outages!.find(hostId);
    await this.watch.run();
  }

  async hostOf(vmId: string): Promise<string | null> {
    const [row] = await this.db.query<{ host_id: string | null }>(
      sql`select host_id from vms where id = ${vmId}`,
    );
    return row!.host_id;
  }

  /** Returns the number of VMs per host. */
  async spread(): Promise<Record<string, number>> {
    const rows = await this.db.query<{ host_id: string; vms: number }>(sql`
      select host_id, count(*)::int as vms from vms where deleted_at is null group by host_id order by host_id`);
    return Object.fromEntries(rows.map(({ host_id, vms }) => [host_id, vms]));
  }
}
