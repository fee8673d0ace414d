import { type Customer, newCustomer, operate, type Target } from '../../chaos/support/customer.ts';

/** A VM of a new customer whose address is protected, at a running service. */
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
  /** From how much on what comes in is an attack. */
  mbps: number;
  /** Of the VM; a new one when absent. */
  customer?: Customer;
  /** Id of the tenant that it is to be of; a new one when absent. */
  tenant?: string;
}

/** Orders a VM and puts its address on the edge; rules for it are in force from now on. */
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
