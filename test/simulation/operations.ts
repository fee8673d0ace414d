import { sql } from '../../server/db/database.ts';
import { addTraffic, isoDate } from '../../server/db/queries/bandwidth.ts';
import { listPromoCredits } from '../../server/db/queries/promo-credits.ts';
import {
  revokePromo as endPromoEarly,
  grantPromo as givePromo,
} from '../../server/domain/billing/promo-credits.ts';
import { findPlan } from '../../server/domain/catalog/lookup.ts';
import { endPromoCredits } from '../../server/jobs/timers/end-promo.ts';
import { renewVms } from '../../server/jobs/timers/renew-vms.ts';
import { giveRenewalNotices } from '../../server/jobs/timers/renewal-notices.ts';
import { giveTrafficNotices } from '../../server/jobs/timers/traffic-notices.ts';
import { ApiError } from '../../server/platform/errors.ts';
import { Failures } from '../../server/platform/failures.ts';
import type { Call, Reply } from '../jobs/support/customer.ts';
import { CORRECTIONS } from './corrections.ts';
import type { Dice } from './prng.ts';
import { CREATE_PATH, type NotedOrder, type Tenant } from './tenant.ts';
import type { World } from './world.ts';

const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The longest that time jumps at once: beyond every grace that an unpaid VM has. */
const LONGEST_JUMP_MS = 20 * DAY_MS;

/** One operation of the simulation; returns how it went, "ok" or the code it was refused with. */
export type Operation = (world: World, dice: Dice, key: string) => Promise<string>;

const TAX_RATES = ['0', '0.19', '0.20', '0.08875'] as const;
/** The shipped catalog has none. */
export const CUSTOM_HOUR = { vcpu: '0.0034', ram_gb: '0.0017', disk_gb: '0.00007' };
const BILLING = ['monthly', 'hourly'] as const;
const PLANS = ['s1', 's2', 's4', 's8', 'd2', 'd4', 'd8', 's1-2023'] as const;

function outcome({ status, text, error }: Reply): string {
  // A refusal is an answer; a failure of the service is what the simulation looks for.
  if (status >= 500) throw new Error(`answered ${status}: ${text}`);
  return error?.code ?? 'ok';
}

const orderIn = ({ order }: Reply['data']): NotedOrder => ({ id: order.id, amountMinor: order.amount_minor });
const refundIn = ({ refund }: Reply['data']): NotedOrder | null =>
  refund.order_id
    ? {
        id: refund.order_id,
        amountMinor: refund.charged_minor + refund.written_off_minor - refund.amount_minor,
      }
    : null;

/** Sends a paid call, now and then twice at once: then one has to wait, or both get the same answer. */
async function once(
  tenant: Tenant,
  dice: Dice,
  key: string,
  call: Call,
  find: typeof orderIn | typeof refundIn,
): Promise<Reply> {
  if (!dice.chance(0.05)) return tenant.order(call, key, find);
  const replies = await Promise.all([tenant.order(call, key, find), tenant.order(call, key, find)]);
  const [first, second] = replies.sort((a, b) => a.status - b.status) as [Reply, Reply];
  outcome(second);
  if (second.status === 200 && first.text !== second.text) throw new Error('twins got different answers');
  return first;
}

/** Most callers agree to any price, some to one that may be too low. */
const limit = (dice: Dice) => (dice.chance(0.2) ? { max_charge_minor: dice.between(0, 2000) } : {});

const topUp: Operation = async (world, dice, key) => {
  await world.tenant(dice).topUp(BigInt(dice.between(1, 5000)), key);
  return 'ok';
};

/** Does what an operator would; a refusal is an answer. */
async function refusalOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'ok';
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return error.code;
    throw error;
  }
}

/** Money goes back out, which promotional credit never does. */
const payOut: Operation = (world, dice) =>
  refusalOf(world.tenant(dice).payOut(BigInt(dice.between(1, 2000))));

/** Promotional credit of any size, which ends soon or late; refused where time has just jumped beyond its end. */
const grantPromo: Operation = async (world, dice) => {
  const { db, clock } = world.services;
  const { accountId } = world.tenant(dice).customer;
  const grant = {
    accountId,
    amountMinor: BigInt(dice.between(1, 2000)),
    field: 'amount' as const,
    until: new Date(clock.now().getTime() + dice.between(1, 40 * 24) * HOUR_MS),
    reason: 'simulation',
    actor: 'simulation',
  };
  return refusalOf(db.transaction((tx) => givePromo(tx, clock, grant)));
};

const revokePromo: Operation = async (world, dice) => {
  const { db, clock } = world.services;
  const { accountId } = world.tenant(dice).customer;
  const credit = dice.pick(await listPromoCredits(db, accountId, { limit: 10, afterId: null }));
  if (!credit) return 'no_credit';
  await db.transaction((tx) => endPromoEarly(tx, clock, credit.id));
  return 'ok';
};

/** By itself it ends before renewals; here in the midst of everything. */
const endPromo: Operation = async ({ services }) => {
  await endPromoCredits(services, new Failures(services));
  return 'ok';
};

const create: Operation = async (world, dice, key) => {
  const tenant = world.tenant(dice);
  const body = {
    plan: dice.pick(PLANS),
    template: 'debian-12',
    hostname: 'web',
    password: 'correct-horse-battery',
    region: dice.pick(['eu-central', 'eu-west']),
    start: dice.chance(0.7),
    auto_renew: dice.chance(0.9),
    ...(dice.chance(0.4) && { billing: dice.pick(BILLING) }),
    ...limit(dice),
  };
  return outcome(await once(tenant, dice, key, { method: 'POST', path: CREATE_PATH, body }, orderIn));
};

/** An operation on some VM of some tenant. */
function onVm(work: (tenant: Tenant, path: string, dice: Dice, key: string) => Promise<Reply>): Operation {
  return async (world, dice, key) => {
    const tenant = world.tenant(dice, ({ vmIds }) => vmIds.length > 0);
    const id = dice.pick(tenant.vmIds);
    if (!id) return 'no_vm';
    const reply = await work(tenant, `${CREATE_PATH}/${id}`, dice, key);
    if (reply.status === 404) tenant.forget(id);
    return outcome(reply);
  };
}

const changePlan = onVm((tenant, vm, dice, key) => {
  const body = {
    plan: dice.pick(PLANS),
    resize_disk: dice.chance(0.3),
    allow_reboot: dice.chance(0.8),
    ...limit(dice),
  };
  return once(tenant, dice, key, { method: 'POST', path: `${vm}/change-plan`, body }, orderIn);
});

const changeCustom = onVm((tenant, vm, dice, key) => {
  const body = {
    vcpu: dice.between(1, 4),
    ram_mb: 1024 * dice.between(1, 8),
    ...(dice.chance(0.2) && { disk_gb: 10 * dice.between(2, 20) }),
    allow_reboot: dice.chance(0.8),
    ...limit(dice),
  };
  return once(tenant, dice, key, { method: 'POST', path: `${vm}/change-custom`, body }, orderIn);
});

/** What decides on renewals: whether there is to be one, and which comes first. */
const setRenewal = onVm(({ customer }, path, dice) => {
  const billing = dice.chance(0.5) ? { billing: dice.pick(BILLING) } : {};
  const body = { auto_renew: dice.chance(0.7), renewal_priority: dice.between(1, 4), ...billing };
  return customer.call({ method: 'PATCH', path, body });
});

const remove = onVm((tenant, path, dice, key) =>
  once(tenant, dice, key, { method: 'DELETE', path }, refundIn),
);

/** Sends some terabytes at once, up to five times of what most plans include. */
const sendTraffic: Operation = async ({ services }, dice) => {
  const { db, clock } = services;
  const vms = await db.query<{ id: string }>(sql`
    select id from vms where status = 'running' and deleted_at is null order by id`);
  const vm = dice.pick(vms);
  if (!vm) return 'no_vm';
  const out_bytes = dice.between(1, 100_000) * 1_000_000_007;
  // Now and then it is metered after midnight.
  const date = isoDate(new Date(clock.now().getTime() - (dice.chance(0.1) ? DAY_MS : 0)));
  await addTraffic(db, [{ vm_id: vm.id, date, in_bytes: 1, out_bytes }]);
  return 'ok';
};

const snapshot = onVm(({ customer }, vm) => customer.call({ method: 'POST', path: `${vm}/snapshots` }));

const deleteSnapshot = onVm(async ({ customer }, vm, dice) => {
  const list = await customer.call({ method: 'GET', path: `${vm}/snapshots` });
  const one = dice.pick<{ id: string }>(list.data ?? []);
  return one ? customer.call({ method: 'DELETE', path: `${vm}/snapshots/${one.id}` }) : list;
});

/** What is used costs more, less, or nothing, in the periods that begin from now on. */
const repriceUsage: Operation = async ({ services: { catalog } }, dice) => {
  const price = (most: number) => (dice.between(0, most) / 10_000).toFixed(4);
  catalog.usage = {
    ...(dice.chance(0.8) && { traffic_per_gb: price(20) }),
    ...(dice.chance(0.8) && { snapshot_gb_month: price(2_000) }),
  };
  findPlan(catalog, 'd2')!.traffic_per_gb = dice.chance(0.5) ? price(40) : undefined;
  return 'ok';
};

const power = (action: 'start' | 'stop' | 'force-stop' | 'reboot') =>
  onVm(({ customer }, vm) => customer.call({ method: 'POST', path: `${vm}/${action}` }));

const repeat: Operation = async (world, dice) => {
  const tenant = world.tenant(dice, ({ hasSent }) => hasSent);
  const reply = await tenant.repeat(dice.between(0, 100));
  return reply ? outcome(reply) : 'nothing_sent';
};

/** Every node has its own timer, so two may be at it at once. */
const renew: Operation = async (world, dice) => {
  const rounds = Array.from({ length: dice.between(1, 2) }, () => world.someNode().services);
  await Promise.all(rounds.map((services) => renewVms(services)));
  const node = world.someNode();
  const { services } = node;
  const failures = new Failures(services);
  await world.tellPrices(node);
  await giveRenewalNotices(services, failures);
  await giveTrafficNotices(services, failures);
  return 'ok';
};

/** Seconds as often as days. */
const passTime: Operation = async ({ services }, dice) => {
  services.clock.advance(SECOND_MS * (LONGEST_JUMP_MS / SECOND_MS) ** dice.fraction());
  return 'ok';
};

/** A plan becomes dearer or cheaper, by the month and by the hour, which running periods do not feel. */
const reprice: Operation = async (world, dice) => {
  const { services } = world;
  world.rereadCatalog();
  const plan = findPlan(services.catalog, dice.pick(PLANS))!;
  plan.price_monthly = `${dice.between(1, 80)}.${dice.between(10, 99)}`;
  // Between what a short month of hours comes to, and thrice that; now and then it is not sold by the hour.
  const hour = (Number(plan.price_monthly) / 672) * (1.001 + 2 * dice.fraction());
  if (dice.chance(0.1)) delete plan.price_hourly;
  else plan.price_hourly = hour.toFixed(6);
  return 'ok';
};

/** A plan is to become dearer or cheaper, some time later still for those who have it. */
const announcePrice: Operation = async (world, dice) => {
  const { services } = world;
  world.rereadCatalog();
  const plan = findPlan(services.catalog, dice.pick(PLANS))!;
  const day = (ahead: number) => dateOf(services.clock.now().getTime() + ahead * DAY_MS);
  const ahead = dice.between(-5, 30);
  plan.prices = [
    {
      valid_from: day(ahead),
      price_monthly: `${dice.between(1, 80)}.${dice.between(10, 99)}`,
      ...(dice.chance(0.5) && { existing_from: day(ahead + dice.between(0, 60)) }),
    },
  ];
  return 'ok';
};

/** A plan is to be retired, or is not after all. */
const retire: Operation = async (world, dice) => {
  const { services } = world;
  world.rereadCatalog();
  const plan = findPlan(services.catalog, dice.pick(PLANS))!;
  const day = services.clock.now().getTime() + dice.between(-5, 40) * DAY_MS;
  plan.retires_on = dice.chance(0.4) ? dateOf(day) : undefined;
  return 'ok';
};

const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** The tax changes, which what is sold already does not feel. */
const retax: Operation = async ({ services }, dice) => {
  services.catalog.tax_rate = dice.pick(TAX_RATES);
  return 'ok';
};

const restartNode: Operation = async (world) => {
  await world.restartNode();
  return 'ok';
};

/** All that can happen, and how often. */
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
} satisfies Record<string, { weight: number; run: Operation }>;

export type OperationName = keyof typeof OPERATIONS;
