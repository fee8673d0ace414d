import type { TestContext } from 'node:test';
import { ALL_SCOPES } from '../../../server/access/scopes.ts';
import { type Database, raw, sql } from '../../../server/db/database.ts';
import { insertTenant } from '../../../server/db/queries/shield/shield-tenants.ts';
import { addressesOf, type VmAddress } from '../../../server/db/queries/vms/addresses.ts';
import { systemFindVm } from '../../../server/db/queries/vms/vms.ts';
import { creditAccount } from '../../../server/domain/accounts/book-payment.ts';
import { createAccount } from '../../../server/domain/accounts/create-account.ts';
import { createKey } from '../../../server/domain/accounts/keys.ts';
import { newId } from '../../../server/platform/ids.ts';
import { addTarget } from '../../../server/shield/target.ts';
import { Client } from '../../acceptance/support/client.ts';
import { Transport } from '../../acceptance/support/transport.ts';
import { type Ids, newPublicKey } from '../../acceptance/support/valid-calls.ts';
import {
  type Installation,
  openInstallation,
  runJobs,
  type TestNode,
} from '../../jobs/support/installation.ts';
import { defer } from '../../support/cleanup.ts';
import { freshDatabase } from '../../support/database.ts';

/** More than any run of tests can spend or own. */
const MONEY = 1_000_000_000_000n;
const MANY = 1_000_000;
const LIMITS = {
  vms: MANY,
  vcpu: MANY,
  ram_mb: 1_000_000_000,
  disk_gb: 100_000_000,
  ssh_keys: MANY,
  firewall_rules_per_vm: MANY,
  port_forwards_per_vm: MANY,
  snapshots_per_vm: MANY,
};

/**
 * A service in this process that does nothing on its own: jobs run on request, on a clock that otherwise stands still.
 * So every change in its database was caused by a request.
 */
export class Target {
  readonly client: Client;
  readonly baseUrl: string;
  readonly #db: Database;
  readonly #installation: Installation;
  readonly #node: TestNode;
  /** One of everything, for requests to name. */
  ids: Ids = {};

  private constructor(installation: Installation, node: TestNode, baseUrl: string, client: Client) {
    this.#installation = installation;
    this.#db = installation.services.db;
    this.#node = node;
    this.baseUrl = baseUrl;
    this.client = client;
  }

  static async open(t: TestContext): Promise<Target> {
    const installation = await openInstallation(await freshDatabase(t));
    defer(t, () => installation.close());
    const node = await installation.openNode();
    const baseUrl = await installation.http.listen({ host: '127.0.0.1', port: 0 });
    const transport = new Transport(baseUrl);
    defer(t, () => transport.close());
    const target = new Target(installation, node, baseUrl, new Client(transport, await newKey(installation)));
    await target.furnish();
    return target;
  }

  /** Recreates one of everything. */
  async furnish(): Promise<void> {
    const { client } = this;
    const { vm } = await client.ok<{ vm: { id: string } }>('createVm', {
      body: { plan: 's1', template: 'debian-12', hostname: 'target' },
    });
    await this.settle();
    const at = [vm.id];
    const body = { direction: 'in', action: 'accept', protocol: 'tcp', cidrs: ['198.51.100.0/24'] };
    const rule = await client.ok<{ id: string }>('addFirewallRule', { at, body });
    const forward = await client.ok<{ id: string }>('addPortForward', {
      at,
      body: { protocol: 'tcp', internal_port: 22 },
    });
    const { snapshot } = await client.ok<{ snapshot: { id: string } }>('createSnapshot', { at, body: {} });
    const share = await client.ok<{ id: string }>('createConsoleShare', { at, body: { mode: 'read_only' } });
    const key = await client.ok<{ id: string }>('addSshKey', {
      body: { name: 'x', public_key: newPublicKey() },
    });
    const [invoice] = await client.ok<{ id: string }[]>('listInvoices');
    this.ids = {
      ...(await this.#protect(vm.id)),
      vm: vm.id,
      firewall: rule.id,
      'port-forwarding': forward.id,
      snapshots: snapshot.id,
      'console-shares': share.id,
      sshkeys: key.id,
      invoices: invoice!.id,
    };
    await this.settle();
  }

  /** Makes a VM's address a target with a rule, under its own tenant. */
  async #protect(vmId: string): Promise<Ids> {
    const { clock } = this.#installation.services;
    const { account_id } = (await systemFindVm(this.#db, vmId))!;
    const [{ address: ip }] = (await addressesOf(this.#db, vmId)) as [VmAddress];
    const tenant = { id: newId('ten', clock), account_id, name: 'fuzz', created_at: clock.now() };
    const targets = await this.#db.transaction(async (tx) => {
      await insertTenant(tx, tenant);
      return addTarget(tx, clock, tenant, { ip, mode: 'always_on' });
    });
    const body = { action: 'block', protocol: 'udp', source_ports: ['53'] };
    const at = [tenant.id, targets];
    const rule = await this.client.ok<{ id: string }>('addShieldRule', { at, body });
    return { tenants: tenant.id, targets, rules: rule.id };
  }

  /** Runs everything that has begun to completion. */
  async settle(): Promise<void> {
    await runJobs(this.#installation, this.#node);
    await this.#installation.services.network.idle();
    await this.#installation.services.shield.idle();
  }

  /** Returns a digest of every row of every table: it changes only if something was written. */
  async digest(): Promise<string> {
    const tables = await this.#db.query<{ name: string }>(
      sql`select tablename as name from pg_tables where schemaname = 'public' order by tablename`,
    );
    const parts = tables.map(
      ({ name }) => `coalesce((select sum(hashtextextended(t::text, 0)) from "${name}" t), 0)`,
    );
    const [row] = await this.#db.query<{ digest: string }>(
      sql`select concat_ws(' ', ${raw(parts.join(', '))}) as digest`,
    );
    return row!.digest;
  }
}

async function newKey({ services: { db, clock, catalog } }: Installation): Promise<string> {
  return db.transaction(async (tx) => {
    const account = { name: 'fuzz', currency: catalog.currency, limits: LIMITS };
    const { id: accountId } = await createAccount(tx, clock, account);
    await creditAccount(tx, clock, { accountId, amountMinor: MONEY, method: 'test', reference: undefined });
    const wish = { accountId, name: 'fuzz', scopes: ALL_SCOPES, expiresAt: null, allowCidrs: [] };
    return (await createKey(tx, clock, wish)).key;
  });
}
