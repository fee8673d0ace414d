import type { TestContext } from 'node:test';
import { HostWatch } from '../../server/cluster/host-watch.ts';
import {
  type ComputeDriver,
  ComputeUnavailableError,
  type EngineFinding,
} from '../../server/compute/driver.ts';
import type { ClusterStore } from '../../server/compute/incus/cluster-store.ts';
import { createClusters } from '../../server/compute/incus/clusters.ts';
import { createSimulator, type SimulatorOptions } from '../../server/compute/simulator/simulator.ts';
import { type Database, sql } from '../../server/db/database.ts';
import { insertCluster, RecordedClusters } from '../../server/db/queries/hosts/clusters.ts';
import { SimulatorGuests } from '../../server/db/queries/hosts/simulator-guests.ts';
import type { ManualClock } from '../../server/platform/clock.ts';
import { catalog } from '../billing/support.ts';
import { type Call, type Customer, openCustomer, type Reply } from '../jobs/support/customer.ts';
import { PURCHASE } from '../jobs/support/fixture.ts';
import { type Installation, openInstallation, runJobs, type TestNode } from '../jobs/support/installation.ts';
import { defer } from '../support/cleanup.ts';
import { freshDatabase } from '../support/database.ts';

const FUNDS = 1_000_00n;
const PLENTY = { vms: 1_000, vcpu: 10_000, ram_mb: 100_000_000, disk_gb: 1_000_000 };

/** The properties of a test cluster: its id, its members and images. */
interface ClusterKind extends Partial<Omit<SimulatorOptions, 'hosts'>> {
  id: string;
  members: readonly string[];
}

/** The region of the cluster that these tests add; the first cluster serves the others. */
export const WEST = 'eu-west';
export const FIRST: ClusterKind = { id: 'aaa', members: ['m1', 'm2'] };
export const SECOND: ClusterKind = { id: 'bbb', members: ['m1'] };

const MISSING: EngineFinding = { what: 'quorum', state: 'missing', found: 'the cluster does not answer' };

/** A cluster of simulated hosts that can be unreachable, or silent. */
export class SimulatedCluster {
  state: 'well' | 'away' | 'silent' = 'well';
  /** The cluster's reported identity. */
  place: string;
  readonly driver: ComputeDriver;

  /** `findings` are the results of its checks. */
  constructor(
    db: Database,
    clock: ManualClock,
    { id, members, ...simulator }: ClusterKind,
    findings: EngineFinding[] = [],
  ) {
    this.place = id;
    const before = `simulator:${id}:`;
    const simulated = createSimulator({
      store: new SimulatorGuests(db),
      clock,
      bootSeconds: 0,
      shutdownSeconds: 0,
      moveSeconds: 0,
      ...simulator,
      hosts: members.map((name) => ({ name: before + name })),
    });
    const list = async () => (await simulated.list()).filter(({ hostId }) => hostId.startsWith(before));
    const own: Partial<ComputeDriver> = {
      list,
      place: async () => this.place,
      hosts: async () =>
        (await simulated.hosts()).map((host) => ({ ...host, name: host.name.slice(before.length) })),
      // The guests of all clusters are in one table.
      inspect: async (guest) =>
        (await list()).some((one) => one.id === guest) ? simulated.inspect(guest) : undefined,
    };
    this.driver = new Proxy(simulated, {
      get: (target, property) => {
        if (property === 'outages') return undefined;
        // Like a real cluster's check, which never throws.
        if (property === 'check') return async () => (this.state === 'well' ? findings : [MISSING]);
        const value = own[property as keyof ComputeDriver] ?? Reflect.get(target, property);
        if (typeof value !== 'function' || ['capabilities', 'watch', 'close'].includes(String(property)))
          return typeof value === 'function' ? value.bind(target) : value;
        return async (...given: unknown[]) => {
          if (this.state === 'away') throw new ComputeUnavailableError(`cluster ${id} is away`);
          if (this.state === 'silent') return new Promise(() => {});
          return (value as (...args: unknown[]) => unknown).apply(target, given);
        };
      },
    });
  }
}

export const order = (region: string | undefined, wish: object = {}): Call => ({
  method: 'POST',
  path: '/v1/vm',
  body: { ...PURCHASE, start: true, ...(region && { region }), ...wish },
});

/** An installation on two clusters, of which the second exists but is not added, on the test's clock. */
export class Service {
  readonly first: SimulatedCluster;
  readonly second: SimulatedCluster;
  readonly installation: Installation;
  readonly watch: HostWatch;
  /** The addresses with which drivers of the second cluster were opened. */
  readonly opened: readonly (readonly string[])[];
  readonly db: Database;
  readonly #node: TestNode;

  static async open(t: TestContext, second: ClusterKind = SECOND): Promise<Service> {
    const db = await freshDatabase(t);
    const made: SimulatedCluster[] = [];
    const opened: (readonly string[])[] = [];
    const installation = await openInstallation(db, {
      openCompute(_, clock) {
        made.push(new SimulatedCluster(db, clock, FIRST), new SimulatedCluster(db, clock, second));
        return joined(db, clock, made[0]!, made[1]!, { opened });
      },
    });
    defer(t, () => installation.close());
    return new Service(db, installation, await installation.openNode(), made, opened);
  }

  private constructor(
    db: Database,
    installation: Installation,
    node: TestNode,
    made: SimulatedCluster[],
    opened: readonly (readonly string[])[],
  ) {
    this.opened = opened;
    [this.first, this.second] = made as [SimulatedCluster, SimulatedCluster];
    this.db = db;
    this.installation = installation;
    this.#node = node;
    this.watch = new HostWatch(installation.services);
  }

  get compute(): ComputeDriver {
    return this.installation.services.compute;
  }

  get clock(): ManualClock {
    return this.installation.services.clock;
  }

  /** Records the second cluster, as any node may have done, and lets this node discover it. */
  async add(region = WEST): Promise<void> {
    await recordSecond(this.db, this.clock, region);
    await this.pass(2);
  }

  /** Advances time and looks at the hosts. */
  async pass(seconds: number): Promise<void> {
    this.clock.advance(seconds * 1000);
    await this.watch.run();
  }

  customer(): Promise<Customer> {
    return openCustomer(this.installation, FUNDS, PLENTY);
  }

  /** Buys a VM, waits until it runs, and returns its id. */
  async buy(customer: Customer, region?: string): Promise<string> {
    const { vm } = await customer.must(order(region));
    await this.finish();
    return vm.id;
  }

  finish(): Promise<void> {
    return runJobs(this.installation, this.#node);
  }

  refuse(): Promise<Reply> {
    return this.customer().then((customer) => customer.call(order(WEST)));
  }
}

/** Records the second cluster for a region. */
export async function recordSecond(db: Database, clock: ManualClock, region = WEST): Promise<void> {
  const record = {
    id: `simulator:${SECOND.id}`,
    region,
    endpoints: ['https://10.1.0.1:8443'],
    certificate: null,
    project: 'default',
    network: 'b0',
    pool: 'default',
    serviceNetworks: ['10.1.0.250'],
    cpuOvercommit: 4,
  };
  await db.transaction((tx) => insertCluster(tx, record, clock.now()));
}

/** Returns the driver of both, as a freshly started node has it. */
export function joined(
  db: Database,
  clock: ManualClock,
  first: SimulatedCluster,
  second: SimulatedCluster,
  {
    store = new RecordedClusters(db),
    opened = [],
  }: { store?: ClusterStore; opened?: (readonly string[])[] } = {},
): ComputeDriver {
  return createClusters({
    clock,
    logger: { warn: () => {} },
    store,
    regions: catalog.regions,
    first: { driver: first.driver, endpoints: ['https://10.0.0.1:8443'] },
    open: ({ endpoints }) => {
      opened.push(endpoints);
      return second.driver;
    },
    idOf: async () => second.place,
  });
}

/** The only host of the second cluster. */
export const SECOND_HOST = 'simulator:bbb:m1';

export async function hostOf({ db }: Service, id: string): Promise<string | null> {
  const [row] = await db.query<{ host_id: string | null }>(sql`select host_id from vms where id = ${id}`);
  return row!.host_id;
}

export async function statusOf({ db }: Service, id: string): Promise<string> {
  const [row] = await db.query<{ status: string }>(sql`select status from vms where id = ${id}`);
  return row!.status;
}

/** Returns the operator's view of the clusters: regions, reachability, report, members, guests. */
export async function shown({ compute }: Service) {
  return (await compute.clusters!.list()).map(({ regions, reachable, report, members, guests }) => {
    return [regions, reachable, report.ok, members, guests];
  });
}

/** Returns which regions customers can buy in. */
export async function available(service: Service): Promise<Record<string, boolean>> {
  const customer = await service.customer();
  const { regions } = await customer.must({ method: 'GET', path: '/v1/vm/catalog' });
  return Object.fromEntries(
    regions.map(({ code, available }: { code: string; available: boolean }) => [code, available]),
  );
}
