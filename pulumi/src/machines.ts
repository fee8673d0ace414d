import type { Catalog, Client, CreateVmRequest, Vm } from '@vauban/client';
import { SamePlanError } from '@vauban/client';
import {
  bodyOf,
  connect,
  isGone,
  isSame,
  patience,
  refreshed,
  stateOf,
  unlocked,
  type Values,
} from './lifecycle';

const SIZES = ['vcpu', 'ram_mb', 'disk_gb'] as const;
/** The fields that the service can change on an existing VM. */
const UPDATED = ['hostname', 'notes', 'auto_renew', 'renewal_priority', 'billing'];
export const IN_PLACE: readonly string[] = [...UPDATED, 'plan', ...SIZES];

/** The outputs of a VM. Fields that change without a change of the resource are left out. */
const SHOWN = [
  ...[
    ...UPDATED,
    ...SIZES,
    'id',
    'plan',
    'template',
    'region',
    'zone',
    'ipv4',
    'ipv6',
    'currency',
    'created_at',
  ],
  ...['price_monthly_minor', 'price_hourly', 'bandwidth_gb'],
];

function shown(vm: Vm): Values {
  const fields: Values = { ...vm, billing: vm.next_billing_mode };
  return Object.fromEntries(SHOWN.map((name) => [name, fields[name]]));
}

/** Checks that a VM has either a plan or a complete size. */
export function failures(inputs: Values): { property: string; reason: string }[] {
  const given = SIZES.filter((name) => inputs[name] !== undefined);
  const isPlan = inputs.plan !== undefined;
  if (isPlan ? given.length === 0 : given.length === SIZES.length) return [];
  return [{ property: 'plan', reason: 'Give either plan, or vcpu, ram_mb and disk_gb.' }];
}

/** Buys a VM and waits until it runs. For a custom size it buys the cheapest plan that can grow to that size. */
export async function create(inputs: Values): Promise<{ id: string; outs: Values }> {
  const [client, wait] = [connect(), patience(inputs)];
  const isCustom = inputs.plan === undefined;
  const { vcpu: _v, ram_mb: _r, disk_gb: _d, ...body } = bodyOf(inputs);
  const bound = inputs.max_charge_minor as number | undefined;
  const plan = isCustom ? basePlan(await client.catalog.get(wait), inputs, bound) : (inputs.plan as string);
  const order = { ...body, plan, start: !isCustom, max_charge_minor: bound } as unknown as CreateVmRequest;
  const bought = await client.vms.create(order, wait);
  const { id } = bought.vm;
  await client.waitForJob(bought.job, wait);
  if (isCustom) {
    const left = bound === undefined ? undefined : Math.max(0, bound - bought.order.amount_minor);
    try {
      await grow(client, id, inputs, left, wait);
    } catch (error) {
      // The user did not ask for a VM of the plan's size.
      await deleteVm(client, id, patience({}));
      throw error;
    }
  }
  const outs = { ...shown(await client.vms.get(id, {}, wait)), initial_password: bought.initial_password };
  return { id, outs: stateOf(inputs, outs) };
}

async function grow(
  client: Client,
  id: string,
  inputs: Values,
  bound: number | undefined,
  wait: { signal: AbortSignal },
): Promise<void> {
  const size = sizeOf(inputs);
  try {
    const { job } = await unlocked(client, id, wait, () =>
      client.vms.changeCustom(id, { ...size, max_charge_minor: bound }, wait),
    );
    await client.waitForJob(job, wait);
  } catch (error) {
    // The plan already has exactly this size.
    if (!(error instanceof SamePlanError)) throw error;
  }
  const { job } = await unlocked(client, id, wait, () => client.vms.start(id, wait));
  await client.waitForJob(job, wait);
}

const sizeOf = ({ vcpu, ram_mb, disk_gb }: Values) => ({ vcpu, ram_mb, disk_gb }) as Record<string, number>;

function basePlan({ plans, templates }: Catalog, inputs: Values, bound = Number.POSITIVE_INFINITY): string {
  const least = templates.find(({ code }) => code === inputs.template);
  const fits = plans.filter(
    (plan) =>
      !plan.deprecated &&
      plan.disk_gb <= (inputs.disk_gb as number) &&
      plan.price_monthly_minor <= bound &&
      plan.disk_gb >= (least?.min_disk_gb ?? 0) &&
      plan.ram_mb >= (least?.min_ram_mb ?? 0) &&
      plan.billing_modes.some((mode) => mode === (inputs.billing ?? 'monthly')) &&
      plan.regions.some(({ code, available }) => available && code === (inputs.region ?? code)),
  );
  const [first] = fits.sort((a, b) => a.price_monthly_minor - b.price_monthly_minor);
  if (first) return first.code;
  throw new Error(
    'No plan can be changed to this size: it needs a disk that is not larger and a price of at most max_charge_minor.',
  );
}

/** Returns a VM's current state, without an id if it no longer exists. */
export async function read(id: string, props: Values): Promise<{ id?: string; props?: Values }> {
  try {
    const vm = await connect().vms.get(id, {}, patience(props));
    return vm.status === 'deleting' ? {} : { id, props: refreshed(props, shown(vm)) };
  } catch (error) {
    if (isGone(error)) return {};
    throw error;
  }
}

/** Changes a VM: first the fields that are free of charge, then its plan or size. */
export async function update(id: string, olds: Values, news: Values): Promise<{ outs: Values }> {
  const [client, wait] = [connect(), patience(news)];
  const isChanged = (name: string) => !isSame(olds[name], news[name]);
  const given = (olds.given as string[]) ?? [];
  const changed = UPDATED.filter((name) => (name in news || given.includes(name)) && isChanged(name));
  // An input that was removed is cleared if the API allows it; otherwise the service's value stays.
  const body = Object.fromEntries(
    changed
      .map((name) => [name, news[name] ?? null])
      .filter(([name, value]) => value !== null || name === 'notes'),
  );
  if (Object.keys(body).length > 0) await client.vms.update(id, body, wait);
  const { allow_reboot = false, max_charge_minor } = news as {
    allow_reboot?: boolean;
    max_charge_minor?: number;
  };
  const terms = { allow_reboot, max_charge_minor };
  const { plan } = news as { plan?: string };
  const vm = await client.vms.get(id, {}, wait);
  const isOther =
    plan === undefined ? !vm.is_custom || SIZES.some((name) => vm[name] !== news[name]) : vm.plan !== plan;
  if (isOther) {
    const { job } = await unlocked(client, id, wait, () =>
      plan === undefined
        ? client.vms.changeCustom(id, { ...sizeOf(news), ...terms }, wait)
        : client.vms.changePlan(id, { plan, ...terms }, wait),
    );
    await client.waitForJob(job, wait);
  }
  const outs = { ...shown(await client.vms.get(id, {}, wait)), initial_password: olds.initial_password };
  return { outs: stateOf(news, outs) };
}

/** Deletes a VM; the rest of the paid period is refunded. */
export async function remove(id: string, props: Values): Promise<void> {
  await deleteVm(connect(), id, patience(props));
}

async function deleteVm(client: Client, id: string, wait: { signal: AbortSignal }): Promise<void> {
  try {
    const { job } = await unlocked(client, id, wait, () => client.vms.delete(id, wait));
    await client.waitForJob(job, wait);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}
