import { execute, maybeOne, one, type Queryable, sql, type Transaction } from '../../database.ts';
import { type Page, pageOf } from '../page.ts';
import { systemFindVm } from './vms.ts';

export type RuleStatus = 'pending' | 'active' | 'removing' | 'error';

export interface FirewallRuleRow {
  id: string;
  account_id: string;
  vm_id: string;
  direction: 'in' | 'out';
  action: 'accept' | 'drop';
  protocol: 'tcp' | 'udp' | 'icmp' | 'icmpv6' | 'esp' | 'gre' | 'any';
  ports: string | null;
  cidrs: string[];
  priority: number;
  enabled: boolean;
  description: string | null;
  status: RuleStatus;
  /** The VM's network generation that contains the latest change to this rule. */
  generation: number;
  created_at: Date;
}

export interface PortForwardRow {
  id: string;
  account_id: string;
  vm_id: string;
  protocol: 'tcp' | 'udp' | 'tcp_udp';
  public_ip: string;
  external_port: number;
  internal_ip: string;
  internal_port: number;
  description: string | null;
  status: RuleStatus;
  generation: number;
  created_at: Date;
}

export function insertFirewallRule(db: Queryable, rule: FirewallRuleRow): Promise<FirewallRuleRow> {
  return one<FirewallRuleRow>(
    db,
    sql`
    insert into firewall_rules (id, account_id, vm_id, direction, action, protocol, ports, cidrs, priority, enabled,
      description, status, generation, created_at)
    values (${rule.id}, ${rule.account_id}, ${rule.vm_id}, ${rule.direction}, ${rule.action}, ${rule.protocol}, ${rule.ports},
      ${rule.cidrs}, ${rule.priority}, ${rule.enabled}, ${rule.description}, ${rule.status}, ${rule.generation}, ${rule.created_at})
    returning *`,
  );
}

export function listFirewallRules(db: Queryable, vmId: string, page: Page): Promise<FirewallRuleRow[]> {
  return db.query<FirewallRuleRow>(
    sql`select * from firewall_rules where vm_id = ${vmId} ${pageOf(sql`id`, page)}`,
  );
}

/** The fields of a rule that the engine needs. */
export type FirewallPart = Pick<FirewallRuleRow, 'direction' | 'action' | 'protocol' | 'ports' | 'cidrs'>;
/** The fields of a port forward that the engine needs. */
export type ForwardPart = Pick<
  PortForwardRow,
  'protocol' | 'public_ip' | 'external_port' | 'internal_ip' | 'internal_port'
>;

/** The network configuration that a VM should have at one point in time. */
export interface WantedNetwork {
  plan: string | null;
  network_generation: number;
  /** Mbit/s; 0 blocks all traffic, null means no throttle. */
  throttle_mbps: number | null;
  /** True if the VM may connect to port 25 of other hosts. */
  smtp_open: boolean;
  /** In evaluation order: lowest priority first, then oldest. */
  rules: FirewallPart[];
  forwards: ForwardPart[];
}

/** Returns the network configuration that should be in force for a VM; undefined if the VM does not exist. */
export function wantedNetwork(db: Queryable, vmId: string): Promise<WantedNetwork | undefined> {
  return maybeOne<WantedNetwork>(
    db,
    sql`
    select plan, network_generation, throttle_mbps,
      (select smtp_open from accounts where accounts.id = vms.account_id) as smtp_open,
      (select coalesce(jsonb_agg(jsonb_build_object('direction', direction, 'action', action, 'protocol', protocol,
          'ports', ports, 'cidrs', cidrs) order by priority, id), '[]') from firewall_rules
        where vm_id = vms.id and enabled and status <> 'removing') as rules,
      (select coalesce(jsonb_agg(jsonb_build_object('protocol', protocol, 'public_ip', public_ip, 'external_port',
          external_port, 'internal_ip', internal_ip, 'internal_port', internal_port) order by id), '[]') from port_forwards
        where vm_id = vms.id and status <> 'removing') as forwards
    from vms where id = ${vmId} and deleted_at is null`,
  );
}

export async function countFirewallRules(db: Queryable, vmId: string): Promise<number> {
  return (
    await one<{ n: number }>(db, sql`select count(*)::int as n from firewall_rules where vm_id = ${vmId}`)
  ).n;
}

/** Returns a rule of the VM, unless it is being removed. */
export function findFirewallRule(
  db: Queryable,
  vmId: string,
  id: string,
): Promise<FirewallRuleRow | undefined> {
  return maybeOne<FirewallRuleRow>(
    db,
    sql`select * from firewall_rules where id = ${id} and vm_id = ${vmId} and status <> 'removing'`,
  );
}

/** Returns the VM's rule with exactly this meaning, if any; the order of its networks does not matter. */
export function findTwinRule(
  db: Queryable,
  rule: Omit<FirewallRuleRow, 'id' | 'status' | 'generation' | 'created_at' | 'description'>,
) {
  return maybeOne<{ id: string }>(
    db,
    sql`
    select id from firewall_rules where vm_id = ${rule.vm_id} and direction = ${rule.direction} and action = ${rule.action}
      and protocol = ${rule.protocol} and ports is not distinct from ${rule.ports}
      and cidrs @> ${rule.cidrs}::text[] and cidrs <@ ${rule.cidrs}::text[]
      and priority = ${rule.priority} and enabled = ${rule.enabled} and status <> 'removing' limit 1`,
  );
}

/** Marks a rule for removal; its row is deleted once the engine has removed it. */
export async function removeFirewallRule(db: Queryable, id: string, generation: number): Promise<void> {
  await execute(
    db,
    sql`update firewall_rules set status = 'removing', generation = ${generation} where id = ${id}`,
  );
}

export function insertPortForward(db: Queryable, row: PortForwardRow): Promise<PortForwardRow> {
  return one<PortForwardRow>(
    db,
    sql`
    insert into port_forwards (id, account_id, vm_id, protocol, public_ip, external_port, internal_ip, internal_port,
      description, status, generation, created_at)
    values (${row.id}, ${row.account_id}, ${row.vm_id}, ${row.protocol}, ${row.public_ip}, ${row.external_port},
      ${row.internal_ip}, ${row.internal_port}, ${row.description}, ${row.status}, ${row.generation}, ${row.created_at})
    returning *`,
  );
}

/**
 * Serialises claims on this address until the transaction ends: two callers looking for a free port could otherwise
 * deadlock on ports that the other has tried.
 */
export async function lockPorts(db: Queryable, publicIp: string): Promise<void> {
  await execute(db, sql`select pg_advisory_xact_lock(hashtextextended(${`ports of ${publicIp}`}, 0))`);
}

/**
 * Claims a public port for one or both protocols. Returns false if not all could be claimed; those that were remain
 * claimed.
 */
export async function claimPort(db: Queryable, forward: PortForwardRow): Promise<boolean> {
  const protocols = forward.protocol === 'tcp_udp' ? ['tcp', 'udp'] : [forward.protocol];
  const rows = await db.query(sql`
    insert into port_claims (public_ip, protocol, port, forward_id)
    select ${forward.public_ip}, protocol, ${forward.external_port}, ${forward.id} from unnest(${protocols}::text[]) as protocol
    on conflict do nothing returning port`);
  return rows.length === protocols.length;
}

/** Returns the public ports of an address in a range that are taken for any protocol. */
export async function claimedPorts(
  db: Queryable,
  publicIp: string,
  from: number,
  to: number,
): Promise<Set<number>> {
  const rows = await db.query<{ port: number }>(sql`
    select distinct port from port_claims where public_ip = ${publicIp} and port between ${from} and ${to}`);
  return new Set(rows.map((row) => row.port));
}

export function listPortForwards(db: Queryable, vmId: string, page: Page): Promise<PortForwardRow[]> {
  return db.query<PortForwardRow>(
    sql`select * from port_forwards where vm_id = ${vmId} ${pageOf(sql`id`, page)}`,
  );
}

export async function countPortForwards(db: Queryable, vmId: string): Promise<number> {
  return (
    await one<{ n: number }>(db, sql`select count(*)::int as n from port_forwards where vm_id = ${vmId}`)
  ).n;
}

/** Returns a port forward of the VM, unless it is being removed. */
export function findPortForward(
  db: Queryable,
  vmId: string,
  id: string,
): Promise<PortForwardRow | undefined> {
  return maybeOne<PortForwardRow>(
    db,
    sql`select * from port_forwards where id = ${id} and vm_id = ${vmId} and status <> 'removing'`,
  );
}

/** Marks a port forward for removal; its public port is freed once the engine has removed it. */
export async function removePortForward(db: Queryable, id: string, generation: number): Promise<void> {
  await execute(
    db,
    sql`update port_forwards set status = 'removing', generation = ${generation} where id = ${id}`,
  );
}

/** Deletes a port forward immediately, with its port claims. */
export async function deletePortForward(db: Queryable, id: string): Promise<void> {
  await execute(db, sql`delete from port_forwards where id = ${id}`);
}

interface NetworkParts {
  /** True if the engine also applies a VM's port forwards. Otherwise a gateway does, and records their state itself. */
  forwards: boolean;
}

/**
 * Records that everything up to `generation` is in force on the engine: rules become active, and removed ones are
 * deleted. Locks the VM's row first, as everywhere. Returns the generation wanted by now; undefined if the VM is gone.
 */
export async function settleNetwork(
  db: Queryable,
  vmId: string,
  generation: number,
  { forwards }: NetworkParts,
): Promise<number | undefined> {
  const row = await maybeOne<{ network_generation: number }>(
    db,
    sql`
    with vm as (
      update vms set network_applied = greatest(network_applied, ${generation}::int) where id = ${vmId}
      returning id, network_generation
    ), gone_rules as (
      delete from firewall_rules using vm
      where vm_id = vm.id and status = 'removing' and generation <= ${generation}
    ), gone_forwards as (
      delete from port_forwards using vm
      where ${forwards}::boolean and vm_id = vm.id and status = 'removing' and generation <= ${generation}
    ), active_rules as (
      update firewall_rules set status = 'active' from vm
      where vm_id = vm.id and status in ('pending', 'error') and generation <= ${generation}
    ), active_forwards as (
      update port_forwards set status = 'active' from vm
      where ${forwards}::boolean and vm_id = vm.id and status in ('pending', 'error') and generation <= ${generation}
    )
    select network_generation from vm`,
  );
  return row?.network_generation;
}

/** Records that the engine refused: pending rules get status `error`. Locks the VM's row first, as everywhere. */
export async function failNetwork(
  db: Transaction,
  vmId: string,
  generation: number,
  { forwards }: NetworkParts,
): Promise<void> {
  await systemFindVm(db, vmId, true);
  await execute(
    db,
    sql`
    update firewall_rules set status = 'error' where vm_id = ${vmId} and status = 'pending' and generation <= ${generation}`,
  );
  if (!forwards) return;
  await execute(
    db,
    sql`
    update port_forwards set status = 'error' where vm_id = ${vmId} and status = 'pending' and generation <= ${generation}`,
  );
}

/**
 * Returns VMs whose network on the engine is out of date. Leaves out VMs being created, because the create job applies
 * their rules.
 */
export function networkBehind(db: Queryable, limit: number): Promise<{ id: string }[]> {
  return db.query(sql`
    select id from vms where deleted_at is null and network_applied < network_generation and provisioned_at is not null
    order by id limit ${limit}`);
}

/** Marks a VM's network rules as changed and returns the generation that the change belongs to. */
export async function bumpNetworkGeneration(db: Queryable, id: string, at: Date): Promise<number> {
  const row = await one<{ network_generation: number }>(
    db,
    sql`update vms set network_generation = network_generation + 1, updated_at = ${at} where id = ${id}
        returning network_generation`,
  );
  return row.network_generation;
}

/**
 * Marks the network rules of all VMs of an account as changed; the reconciler updates their guests in its next rounds.
 */
export async function bumpNetworkOfAccount(tx: Transaction, accountId: string, at: Date): Promise<void> {
  await execute(
    tx,
    sql`
    with mine as (
      select id from vms where account_id = ${accountId} and deleted_at is null order by id for no key update
    )
    update vms set network_generation = network_generation + 1, updated_at = ${at} from mine where vms.id = mine.id`,
  );
}
