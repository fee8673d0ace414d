import { sql, type Transaction } from '../../server/db/database.ts';
import { listPromoCredits } from '../../server/db/queries/money/promo-credits.ts';
import { addTraffic, isoDate } from '../../server/db/queries/vms/bandwidth.ts';
import { requireOpen } from '../../server/domain/accounts/account-status.ts';
import {
  revokePromo as endPromoEarly,
  grantPromo as givePromo,
} from '../../server/domain/billing/promo-credits.ts';
import { findPlan } from '../../server/domain/catalog/lookup.ts';
import { endPromoCredits } from '../../server/jobs/timers/end-promo.ts';
import { renewVms } from '../../server/jobs/timers/renew-vms.ts';
import { giveRenewalNotices } from '../../server/jobs/timers/renewal-notices.ts';
import { throttleTraffic } from '../../server/jobs/timers/throttle-traffic.ts';
import { giveTrafficNotices } from '../../server/jobs/timers/traffic-notices.ts';
import { Failures } from '../../server/platform/failures.ts';
import type { Call, Reply } from '../jobs/support/customer.ts';
import { ADD_ON_OPERATIONS } from './add-ons.ts';
import { CORRECTIONS } from './corrections.ts';
import { priceIn } from './currencies.ts';
import { HOST_OPERATIONS } from './hosts.ts';
import { MEMBERS } from './members.ts';
import type { Prng } from './prng.ts';
import { TAKE_BACKS } from './take-backs.ts';
import { CREATE_PATH, orderIn, outcome, refundIn, refusalOf, type Tenant } from './tenant.ts';
import { TOP_UPS } from './top-ups.ts';
import type { World } from './world.ts';

const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The longest jump in time: longer than any grace period of an unpaid VM. */
const LONGEST_JUMP_MS = 20 * DAY_MS;

/** One operation of the simulation; returns its outcome, "ok" or the code of the refusal. */
export type Operation = (world: World, prng: Prng, key: string) => Promise<string>;

const TAX_RATES = ['0', '0.19', '0.20', '0.08875'] as const;
/** The shipped catalog has none. */
export const CUSTOM_HOUR = { vcpu: '0.0034', ram_gb: '0.0017', disk_gb: '0.00007' };
const BILLING = ['monthly', 'hourly'] as const;
const PLANS = ['s1', 's2', 's4', 's8', 'd2', 'd4', 'd8', 's1-2023'] as const;

/** Sends a paid call, sometimes twice at once: then one has to wait, or both get the same reply. */
async function once(
  tenant: Tenant,
  prng: Prng,
  key: string,
  call: Call,
  find: typeof orderIn | typeof refundIn,
): Promise<Reply> {
  if (!prng.chance(0.05)) return tenant.order(call, key, find);
  const replies = await Promise.all([tenant.order(call, key, find), tenant.order(call, key, find)]);
  const [first, second] = replies.sort((a, b) => a.status - b.status) as [Reply, Reply];
  outcome(second);
  if (second.status === 200 && first.text !== second.text) throw new Error('twins got different answers');
  return first;
}

/** Most callers accept any price, some set a limit that may be too low. */
const limit = (prng: Prng) => (prng.chance(0.2) ? { max_charge_minor: prng.between(0, 2000) } : {});

const topUp: Operation = (world, prng, key) =>
  refusalOf(world.tenant(prng).topUp(BigInt(prng.between(1, 5000)), key));

/** Pays money out, which promotional credit never allows. */
const payOut: Operation = (world, prng) =>
  refusalOf(world.tenant(prng).payOut(BigInt(prng.between(1, 2000))));

/** Grants promotional credit of any size that ends soon or late; refused if time has just jumped beyond its end. */
const grantPromo: Operation = async (world, prng) => {
  const { db, clock } = world.services;
  const { accountId } = world.tenant(prng).customer;
  const grant = {
    accountId,
    amountMinor: BigInt(prng.between(1, 2000)),
    field: 'amount' as const,
    until: new Date(clock.now().getTime() + prng.between(1, 40 * 24) * HOUR_MS),
    reason: 'simulation',
    actor: 'simulation',
  };
  const give = async (tx: Transaction) => {
    await requireOpen(tx, accountId);
    await givePromo(tx, clock, grant);
  };
  return refusalOf(db.transaction(give));
};

const revokePromo: Operation = async (world, prng) => {
  const { db, clock } = world.services;
  const { accountId } = world.tenant(prng).customer;
  const credit = prng.pick(await listPromoCredits(db, accountId, { limit: 10, afterId: null }));
  if (!credit) return 'no_credit';
  await db.transaction((tx) => endPromoEarly(tx, clock, credit.id));
  return 'ok';
};

/** The service does this before renewals; here it happens at any time. */
const endPromo: Operation = async ({ services }) => {
  await endPromoCredits(services, new Failures(services));
  return 'ok';
};

const create: Operation = async (world, prng, key) => {
  const tenant = world.tenant(prng);
  const body = {
    plan: prng.pick(PLANS),
    template: 'debian-12',
    hostname: 'web',
    password: 'correct-horse-battery',
    region: prng.pick(['eu-central', 'eu-west']),
    start: prng.chance(0.7),
    auto_renew: prng.chance(0.9),
    ...(prng.chance(0.4) && { billing: prng.pick(BILLING) }),
    ...limit(prng),
  };
  return outcome(await once(tenant, prng, key, { method: 'POST', path: CREATE_PATH, body }, orderIn));
};

/** An operation on a random VM of a random tenant. */
function onVm(work: (tenant: Tenant, path: string, prng: Prng, key: string) => Promise<Reply>): Operation {
  return async (world, prng, key) => {
    const tenant = world.tenant(prng, ({ vmIds }) => vmIds.length > 0);
    const id = prng.pick(tenant.vmIds);
    if (!id) return 'no_vm';
    const reply = await work(tenant, `${CREATE_PATH}/${id}`, prng, key);
    if (reply.status === 404) tenant.forget(id);
    return outcome(reply);
  };
}

const changePlan = onVm((tenant, vm, prng, key) => {
  const body = {
    plan: prng.pick(PLANS),
    resize_disk: prng.chance(0.3),
    allow_reboot: prng.chance(0.8),
    ...limit(prng),
  };
  return once(tenant, prng, key, { method: 'POST', path: `${vm}/change-plan`, body }, orderIn);
});

const changeCustom = onVm((tenant, vm, prng, key) => {
  const body = {
    vcpu: prng.between(1, 4),
    ram_mb: 1024 * prng.between(1, 8),
    ...(prng.chance(0.2) && { disk_gb: 10 * prng.between(2, 20) }),
    allow_reboot: prng.chance(0.8),
    ...limit(prng),
  };
  return once(tenant, prng, key, { method: 'POST', path: `${vm}/change-custom`, body }, orderIn);
});

/** Changes whether a VM renews, and its rank among the renewals. */
const setRenewal = onVm(({ customer }, path, prng) => {
  const billing = prng.chance(0.5) ? { billing: prng.pick(BILLING) } : {};
  const body = { auto_renew: prng.chance(0.7), renewal_priority: prng.between(1, 4), ...billing };
  return customer.call({ method: 'PATCH', path, body });
});

const remove = onVm((tenant, path, prng, key) =>
  once(tenant, prng, key, { method: 'DELETE', path }, refundIn),
);

/** Sends some terabytes at once, up to five times the traffic that most plans include. */
const sendTraffic: Operation = async ({ services }, prng) => {
  const { db, clock } = services;
  const vms = await db.query<{ id: string }>(sql`
    select id from vms where status = 'running' and deleted_at is null order by id`);
  const vm = prng.pick(vms);
  if (!vm) return 'no_vm';
  const out_bytes = prng.between(1, 100_000) * 1_000_000_007;
  // Sometimes it is metered after midnight.
  const date = isoDate(new Date(clock.now().getTime() - (prng.chance(0.1) ? DAY_MS : 0)));
  await addTraffic(db, [{ vm_id: vm.id, date, in_bytes: 1, out_bytes }]);
  return 'ok';
};

const snapshot = onVm(({ customer }, vm) => customer.call({ method: 'POST', path: `${vm}/snapshots` }));

const deleteSnapshot = onVm(async ({ customer }, vm, prng) => {
  const list = await customer.call({ method: 'GET', path: `${vm}/snapshots` });
  const one = prng.pick<{ id: string }>(list.data ?? []);
  return one ? customer.call({ method: 'DELETE', path: `${vm}/snapshots/${one.id}` }) : list;
});

/** Changes the prices of usage, also to nothing, for periods that begin from now on. */
const repriceUsage: Operation = async ({ services: { catalog } }, prng) => {
  const price = (most: number) => priceIn(catalog.currency, (prng.between(0, most) / 10_000).toFixed(4));
  catalog.usage = {
    ...(prng.chance(0.8) && { traffic_per_gb: price(20) }),
    ...(prng.chance(0.8) && { snapshot_gb_month: price(2_000) }),
    ...(prng.chance(0.7) && { max_unpaid_minor: prng.between(0, 5_000) }),
  };
  findPlan(catalog, 'd2')!.traffic_per_gb = prng.chance(0.5) ? price(40) : undefined;
  const { custom } = catalog;
  for (const sold of [findPlan(catalog, 's2')!, findPlan(catalog, 's4')!, custom]) {
    sold.at_included = prng.pick(['bill', 'throttle', 'stop']);
    sold.throttle_mbps = prng.between(1, 100);
  }
  custom.bandwidth_gb = prng.chance(0.7) ? { vcpu: 1_000, ram_gb: 500, disk_gb: 1 } : undefined;
  return 'ok';
};

const power = (action: 'start' | 'stop' | 'force-stop' | 'reboot') =>
  onVm(({ customer }, vm) => customer.call({ method: 'POST', path: `${vm}/${action}` }));

const repeat: Operation = async (world, prng) => {
  const tenant = world.tenant(prng, ({ hasSent }) => hasSent);
  const reply = await tenant.repeat(prng.between(0, 100));
  return reply ? outcome(reply) : 'nothing_sent';
};

/** Every node has its own timer, so two nodes may renew at the same time. */
const renew: Operation = async (world, prng) => {
  const rounds = Array.from({ length: prng.between(1, 2) }, () => world.someNode().services);
  await Promise.all(rounds.map((services) => renewVms(services)));
  const node = world.someNode();
  const { services } = node;
  const failures = new Failures(services);
  await world.tellPrices(node);
  await giveRenewalNotices(services, failures);
  await giveTrafficNotices(services, failures);
  await throttleTraffic(services, failures);
  return 'ok';
};

/** Short times are as likely as long ones: seconds as often as days. */
const passTime: Operation = async ({ services }, prng) => {
  services.clock.advance(SECOND_MS * (LONGEST_JUMP_MS / SECOND_MS) ** prng.fraction());
  return 'ok';
};

/** Changes the monthly and hourly price of a plan; running periods keep theirs. */
const reprice: Operation = async (world, prng) => {
  const { services } = world;
  world.rereadCatalog();
  const plan = findPlan(services.catalog, prng.pick(PLANS))!;
  const { currency } = services.catalog;
  const month = `${prng.between(1, 80)}.${prng.between(10, 99)}`;
  plan.price_monthly = priceIn(currency, month);
  // Between the hourly share of a short month and three times that; sometimes it is not sold hourly.
  const hour = (Number(month) / 672) * (1.01 + 2 * prng.fraction());
  if (prng.chance(0.1)) delete plan.price_hourly;
  else plan.price_hourly = priceIn(currency, hour.toFixed(5));
  return 'ok';
};

/** Announces another price of a plan, from a later date for existing VMs. */
const announcePrice: Operation = async (world, prng) => {
  const { services } = world;
  world.rereadCatalog();
  const plan = findPlan(services.catalog, prng.pick(PLANS))!;
  const day = (ahead: number) => dateOf(services.clock.now().getTime() + ahead * DAY_MS);
  const ahead = prng.between(-5, 30);
  plan.prices = [
    {
      valid_from: day(ahead),
      price_monthly: priceIn(services.catalog.currency, `${prng.between(1, 80)}.${prng.between(10, 99)}`),
      ...(prng.chance(0.5) && { existing_from: day(ahead + prng.between(0, 60)) }),
    },
  ];
  return 'ok';
};

/** Retires a plan at a date, or cancels the retirement. */
const retire: Operation = async (world, prng) => {
  const { services } = world;
  world.rereadCatalog();
  const plan = findPlan(services.catalog, prng.pick(PLANS))!;
  const day = services.clock.now().getTime() + prng.between(-5, 40) * DAY_MS;
  plan.retires_on = prng.chance(0.4) ? dateOf(day) : undefined;
  return 'ok';
};

const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** Changes the tax; earlier sales keep theirs. */
const retax: Operation = async ({ services }, prng) => {
  services.catalog.tax_rate = prng.pick(TAX_RATES);
  return 'ok';
};

const restartNode: Operation = async (world) => {
  await world.restartNode();
  return 'ok';
};

export const OPERATIONS = {
  topUp: { weight: 25, run: topUp },
  payOut: { weight: 1, run: payOut },
  grantPromo: { weight: 2, run: grantPromo },
  revokePromo: { weight: 0.3, run: revokePromo },
  endPromo: { weight: 0.5, run: endPromo },
  repeat: { weight: 20, run: repeat },
  create: { weight: 11, run: create },
  changePlan: { weight: 10, run: changePlan },
  changeCustom: { weight: 8, run: changeCustom },
  setRenewal: { weight: 5, run: setRenewal },
  remove: { weight: 4, run: remove },
  start: { weight: 6, run: power('start') },
  stop: { weight: 3, run: power('stop') },
  forceStop: { weight: 2, run: power('force-stop') },
  reboot: { weight: 2, run: power('reboot') },
  renew: { weight: 3, run: renew },
  passTime: { weight: 2, run: passTime },
  reprice: { weight: 0.3, run: reprice },
  sendTraffic: { weight: 2, run: sendTraffic },
  snapshot: { weight: 2, run: snapshot },
  deleteSnapshot: { weight: 1, run: deleteSnapshot },
  repriceUsage: { weight: 0.3, run: repriceUsage },
  announcePrice: { weight: 0.3, run: announcePrice },
  retire: { weight: 0.2, run: retire },
  retax: { weight: 0.1, run: retax },
  restartNode: { weight: 0.1, run: restartNode },
  ...CORRECTIONS,
  ...TOP_UPS,
  ...TAKE_BACKS,
  ...MEMBERS,
  ...ADD_ON_OPERATIONS,
  ...HOST_OPERATIONS,
} satisfies Record<string, { weight: number; run: Operation }>;

export type OperationName = keyof typeof OPERATIONS;
