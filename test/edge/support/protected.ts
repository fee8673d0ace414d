import { type Customer, newCustomer, operate, type Target } from '../../chaos/support/customer.ts';

/** A protected VM of a new customer, on a running service. */
export interface Protected {
  customer: Customer;
  ip: string;
  targetId: string;
  tenantId: string;
  /** Paths of the API. */
  rules: string;
  events: string;
}

export interface ProtectOptions {
  /** The attack threshold. */
  mbps: number;
  /** The owner of the VM; a new customer by default. */
  customer?: Customer;
  /** The id of the tenant; a new one by default. */
  tenant?: string;
}

/** Orders a VM and puts its address on the edge; rules for it take effect from now on. */
export async function protect(
  service: Target,
  { mbps, customer, tenant }: ProtectOptions,
): Promise<Protected> {
  const owner = customer ?? (await newCustomer(service));
  const body = { plan: 's1', template: 'debian-12', hostname: 'web' };
  const { vm } = await owner.ask('POST', '/v1/vm', body);
  const { ipv4: ip } = await owner.settled(vm.id);
  const tenantId =
    tenant ?? (await operate(service, `/accounts/${owner.accountId}/tenants`, { name: 'Test' })).id;
  const target = await operate(service, `/tenants/${tenantId}/targets`, { ip, mode: 'off' });
  await operate(service, `/targets/${target.id}/threshold`, { pps: null, bps: mbps * 1_000_000 });
  await operate(service, `/targets/${target.id}/mode`, { mode: 'always_on' });
  while (!(await operate(service, `/targets/${target.id}`)).on_edge);
  const path = `/v1/tenants/${tenantId}/targets/${target.id}`;
  return {
    customer: owner,
    ip,
    targetId: target.id,
    tenantId,
    rules: `${path}/rules`,
    events: `${path}/events`,
  };
}
