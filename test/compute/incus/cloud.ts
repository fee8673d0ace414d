import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse, stringify } from 'yaml';
import { type Customer, newCustomer, type Reply } from '../../chaos/support/customer.ts';
import { call, exchange } from '../../operator/support.ts';
import { type DatabaseLocation, freshDatabaseLocation } from '../../support/database.ts';
import { type ClusterInfo, incus, instanceOf, MEMBERS, runAt } from '../../support/incus/layout.ts';
import { killMember, startMember } from '../../support/incus/members.ts';
import { settingsOf } from '../../support/incus/settings.ts';
import { type Service, startService } from '../../support/service.ts';
import { REPOSITORY } from '../../support/source.ts';

/** The address pools of the first region. */
const POOLS = ['203.0.113.0/24', '2001:db8:113::/64'] as [string, string];
/** The amount that {@link newCustomer} credits. */
const CREDIT_MINOR = 10_000;
const POLL_MS = 50;
/** Longer than even a busy server takes. */
const GREETING_MS = 2_000;
/** The suffix of instances that belong to someone else. */
export const FOREIGN = '-foreign';

/** Polls until something that can only be observed from outside is true. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(POLL_MS);
}

/** Far beyond what any of these tests takes. */
export const PATIENCE = { timeout: 600_000 };

// biome-ignore lint/suspicious/noExplicitAny: assertions say what is expected of it
export type Vm = any;

interface Listed {
  name: string;
  location: string;
  status: string;
  created_at: string;
  last_used_at: string;
  config: Record<string, string>;
  state: object | null;
}

/** Returns whether an SSH server answers at an address within `ms` milliseconds. */
export async function greets(address: string, ms: number): Promise<boolean> {
  const socket = connect(22, address).on('error', () => {});
  try {
    await once(socket, 'data', { signal: AbortSignal.timeout(ms) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/**
 * A service on a real cluster, with methods that disturb it. Whatever they do, {@link assertSound} must hold
 * afterwards.
 */
export class Cloud {
  readonly cluster: ClusterInfo;
  customer!: Customer;
  readonly #begin: () => Promise<Service>;
  #service!: Service;
  readonly #rows: string[][] = [];

  private constructor(cluster: ClusterInfo, begin: () => Promise<Service>) {
    this.cluster = cluster;
    this.#begin = begin;
  }

  /** Starts the service with its state in `given`, or in a new database for this test. */
  static async start(t: TestContext, cluster: ClusterInfo, given?: DatabaseLocation): Promise<Cloud> {
    const location = given ?? (await freshDatabaseLocation(t));
    const dataDir = location.env.VAUBAN_DATA_DIR;
    const catalog = join(dataDir, 'catalog.yaml');
    await writeFile(catalog, await catalogOfGuests());
    const env = settingsOf(cluster, catalog);
    const cloud = new Cloud(cluster, () =>
      startService(t, { location, entry: 'test/qemu/support/chaos-service.ts', env }),
    );
    cloud.#service = await cloud.#begin();
    cloud.customer = await newCustomer(cloud.#service);
    return cloud;
  }

  get service(): Service {
    return this.#service;
  }

  /** Restarts the service after it was told to kill itself. */
  async revive(): Promise<void> {
    await this.#service.kill().catch(({ message }) => assert.match(message, /ended by itself with SIGKILL/));
    this.#service = await this.#begin();
    this.customer.target = this.#service;
  }

  async order<T>(path: string, input: object = {}): Promise<T> {
    const socket = join(this.#service.location.env.VAUBAN_DATA_DIR, 'control.sock');
    return (await exchange(socket, 'POST', path, input)).json().result;
  }

  operate(method: string, path: string, body?: object) {
    return call(this.#service.operatorSocket, method, path, body);
  }

  /** Orders a VM and returns the reply, success or not. */
  ask(idempotencyKey: string = randomUUID()): Promise<Reply> {
    const body = { plan: 'small', template: 'tiny', hostname: 'web' };
    return this.customer.send('POST', '/v1/vm', { body, idempotencyKey });
  }

  /** Orders a VM, which must succeed, and returns its id. */
  async asked(): Promise<string> {
    const reply = await this.ask();
    assert.equal(reply.status, 200, reply.text);
    return reply.json.data.vm.id;
  }

  /** Buys `count` VMs and waits until they run. */
  async buy(count: number): Promise<Vm[]> {
    const ids = await Promise.all(Array.from({ length: count }, () => this.asked()));
    return Promise.all(ids.map((id) => this.settled(id, 'running')));
  }

  /** Waits until the VM has no job and returns it; it must have this status. */
  async settled(id: string, status: string): Promise<Vm> {
    const vm = await this.customer.settled(id);
    assert.equal(vm?.status ?? 'gone', status, this.failures(id));
    return vm;
  }

  /** Returns the log lines about failed jobs of a VM. */
  failures(id: string): string {
    const lines = this.#service.output().split('\n');
    return lines.filter((line) => line.includes(id) && !line.includes('"level":"info"')).join('\n');
  }

  /** Fails unless a VM still runs at the same addresses and the state is sound. */
  async assertSame({ id, ipv4, ipv6, plan }: Vm): Promise<void> {
    const now = await this.settled(id, 'running');
    assert.deepEqual([now.ipv4, now.ipv6, now.plan], [ipv4, ipv6, plan]);
    await this.greeting(ipv4);
    await this.assertSound();
  }

  async remove(ids: readonly string[]): Promise<void> {
    for (const id of ids) await this.customer.ask('DELETE', `/v1/vm/${id}`);
    for (const id of ids) await this.settled(id, 'gone');
  }

  /** Returns the numbers of the members on which a VM is recorded or to which it is being moved. */
  async membersOf(id: string): Promise<number[]> {
    const { vms } = await this.order<{ vms: string[] }>('/places');
    const line = vms.find((each) => each.startsWith(`${id} `));
    return [...(line ?? '').matchAll(/:m(\d)/g)].map(([, member]) => Number(member));
  }

  /** Kills members' daemons, runs `meanwhile`, and starts them again. */
  async without(members: readonly number[], meanwhile: () => Promise<void> = async () => {}): Promise<void> {
    await Promise.all(members.map((member) => killMember(this.cluster, member)));
    await meanwhile();
    await Promise.all(members.map((member) => startMember(this.cluster, member)));
    // A daemon that reports ready may not answer for its guests yet, so ask each about all guests.
    for (const member of MEMBERS) await until(() => this.#answers(member));
    await until(() => this.isWhole());
  }

  async #answers(member: number): Promise<boolean> {
    return runAt(this.cluster, member, 'incus', 'list', '--format', 'csv').then(
      (text) => !/ERROR/i.test(text),
      () => false,
    );
  }

  /** Returns whether the service sees all members and has recorded that. */
  async isWhole(): Promise<boolean> {
    const unreachable = await this.order<string[] | null>('/unreachable');
    const { text } = await this.operate('GET', '/hosts');
    return unreachable?.length === 0 && !text.includes('"unreachable"');
  }

  /** Returns whether the service has recorded that it sees no member. */
  async isLost(): Promise<boolean> {
    const { text } = await this.operate('GET', '/hosts');
    const hosts: { state: string }[] = JSON.parse(text).data;
    return hosts.every(({ state }) => state === 'unreachable');
  }

  /** Drains a member, runs `meanwhile` after the first move has begun, and ends the drain once the member is empty. */
  async drain(member: number, meanwhile: () => Promise<void> = async () => {}): Promise<void> {
    const host = `/hosts/m${member}`;
    assert.equal((await this.operate('POST', `${host}/drain`)).status, 200);
    await meanwhile();
    await until(async () => {
      const { vms } = await this.order<{ vms: string[] }>('/places');
      return !vms.some((line) => line.includes(`:m${member}`)) && !(await this.isBusy());
    });
    assert.equal((await this.operate('POST', `${host}/undrain`)).status, 200);
  }

  async isBusy(): Promise<boolean> {
    const vms: Vm[] = await this.customer.ask('GET', '/v1/vm?limit=100');
    return vms.some(({ active_job }) => active_job);
  }

  /** Returns all instances of the cluster, including foreign ones. */
  async instances(): Promise<Listed[]> {
    return JSON.parse(await incus(this.cluster, 'list', '--format', 'json'));
  }

  async greeting(address: string): Promise<void> {
    await until(() => greets(address, GREETING_MS));
  }

  /** Adds a line to the table: an action, how often it was done, and its outcome. */
  note(what: string, times: number, outcome: string): void {
    this.#rows.push([what, `${times}`, outcome]);
  }

  print(t: TestContext): void {
    const rows = [['what was done', 'times', 'outcome'], ...this.#rows];
    const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
    for (const row of rows) t.diagnostic(row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | '));
  }

  /**
   * Fails unless the books balance and the wallet is the credit minus each purchase, charged once; and unless every VM
   * has exactly one instance, with its addresses, where it is recorded and shown, and there are no others.
   */
  async assertSound(): Promise<void> {
    assert.deepEqual(await this.order('/problems'), []);
    const { guests, vms } = await this.order<{ guests: string[]; vms: string[] }>('/places');
    const all: Vm[] = await this.customer.ask('GET', '/v1/vm?limit=100');
    // A VM whose creation failed leaves nothing behind.
    const shown = all.filter(({ status }) => status !== 'error');
    const living = vms.filter((line) => shown.some(({ id }) => line.startsWith(`${id} `)));
    assert.deepEqual(guests, living, 'one copy of each, where it is recorded');
    const ours = (await this.instances()).filter(({ name }) => !name.endsWith(FOREIGN));
    assert.deepEqual(
      ours.map(({ config, status }) => [config['user.vauban.id'], status]).sort(),
      shown.map(({ id, status }) => [id, status === 'running' ? 'Running' : 'Stopped']).sort(),
    );
    for (const { id, ipv4, ipv6 } of shown) {
      const { config } = ours.find((one) => one.config['user.vauban.id'] === id)!;
      const has = JSON.parse(config['user.vauban.addresses']!).map((one: { address: string }) => one.address);
      assert.deepEqual(has.sort(), [ipv4, ipv6].sort());
    }
    const acls: { name: string; used_by: string[] }[] = JSON.parse(
      await incus(this.cluster, 'network', 'acl', 'list', '--format', 'json'),
    );
    const isOthers = (users: string[]) => users.length > 0 && users.every((user) => user.endsWith(FOREIGN));
    assert.deepEqual(
      acls.flatMap(({ name, used_by }) => (isOthers(used_by) ? [] : [name])).sort(),
      shown.map(({ id }) => instanceOf(id)).sort(),
    );
    const orders: { status: string; amount_minor: number; kind: string }[] = await this.customer.ask(
      'GET',
      '/v1/billing/orders?limit=100',
    );
    assert.ok(orders.length < 100, 'more orders than a page: their sum would be wrong');
    const completed = orders.filter(({ status }) => status === 'completed');
    const paid = completed.reduce((sum, { amount_minor }) => sum + amount_minor, 0);
    const { available_minor, held_minor } = await this.customer.ask('GET', '/v1/billing/wallet');
    assert.deepEqual([available_minor, held_minor], [CREDIT_MINOR - paid, 0]);
  }
}

/**
 * Writes the shipped catalog with an additional small plan, and with the template and addresses of test clusters. It
 * has as many regions as there are pools.
 */
export async function catalogOfGuests(pools: readonly [string, string][] = [POOLS]): Promise<string> {
  const catalog = parse(await readFile(join(REPOSITORY, 'catalog.yaml'), 'utf8'));
  const [plan] = catalog.plans;
  const regions = pools.map(([ipv4_pool, ipv6_pool], index) => {
    return { ...catalog.regions[index], ipv4_pool, ipv6_pool };
  });
  const small = { code: 'small', name: 'Small', vcpu: 1, ram_mb: 64, disk_gb: 1, price_monthly: '1.00' };
  const template = {
    code: 'tiny',
    name: 'Tiny',
    os_family: 'tiny',
    os_version: '1',
    arch: 'x86_64',
    min_disk_gb: 1,
    min_ram_mb: 64,
    default_user: 'root',
  };
  return stringify({
    ...catalog,
    regions,
    plans: [{ ...plan, ...small, regions: regions.map(({ code }) => code) }],
    templates: [template],
  });
}
