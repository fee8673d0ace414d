import { findPlan } from '../../server/domain/catalog/lookup.ts';
import { renewVms } from '../../server/jobs/renew-vms.ts';
import type { Call, Reply } from '../jobs/support/customer.ts';
import type { Dice } from './dice.ts';
import { CREATE_PATH, type NotedOrder, type Tenant } from './tenant.ts';
import type { World } from './world.ts';

const SECOND_MS = 1000;
const DAY_MS = 86_400_000;
/** The longest that time jumps at once: beyond every grace that an unpaid VM has. */
const LONGEST_JUMP_MS = 20 * DAY_MS;

/** One operation of the simulation; returns how it went, "ok" or the code it was refused with. */
type Operation = (world: World, dice: Dice, key: string) => Promise<string>;

const PLANS = ['s1', 's2', 's4', 's8', 'd2', 'd4', 'd8', 's1-2023'] as const;

function outcome({ status, text, error }: Reply): string {
  // A refusal is an answer; a failure of the service is what the simulation looks for.
  if (status >= 500) throw new Error(`answered ${status}: ${text}`);
  return error?.code ?? 'ok';
}

const orderIn = ({ order }: Reply['data']): NotedOrder => ({ id: order.id, amountMinor: order.amount_minor });
const refundIn = ({ refund }: Reply['data']): NotedOrder | null =>
  refund.order_id ? { id: refund.order_id, amountMinor: -refund.amount_minor } : null;

/** Sends a paid call, now and then twice at once: then one is told to wait, or both get the same answer. */
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

const remove = onVm((tenant, path, dice, key) =>
  once(tenant, dice, key, { method: 'DELETE', path }, refundIn),
);

const power = (action: 'start' | 'stop' | 'force-stop' | 'reboot') =>
  onVm(({ customer }, vm) => customer.call({ method: 'POST', path: `${vm}/${action}` }));

const repeat: Operation = async (world, dice) => {
  const tenant = world.tenant(dice, ({ hasSent }) => hasSent);
  const reply = await tenant.repeat(dice.between(0, 100));
  return reply ? outcome(reply) : 'nothing_sent';
};

/** Every node has its own timer, so two may be at it at once. */
const renew: Operation = async ({ services }, dice) => {
  await Promise.all(Array.from({ length: dice.between(1, 2) }, () => renewVms(services)));
  return 'ok';
};

/** Seconds as often as days. */
const passTime: Operation = async ({ services }, dice) => {
  services.clock.advance(SECOND_MS * (LONGEST_JUMP_MS / SECOND_MS) ** dice.fraction());
  return 'ok';
};

/** A plan becomes dearer or cheaper, which running periods do not feel. */
const reprice: Operation = async ({ services }, dice) => {
  const plan = findPlan(services.catalog, dice.pick(PLANS))!;
  plan.price_monthly = `${dice.between(1, 80)}.${dice.between(10, 99)}`;
  return 'ok';
};

const restartNode: Operation = async (world) => {
  await world.restartNode();
  return 'ok';
};

/** All that can happen, and how often. */
export const OPERATIONS = {
  topUp: { weight: 25, run: topUp },
  repeat: { weight: 20, run: repeat },
  create: { weight: 11, run: create },
  changePlan: { weight: 10, run: changePlan },
  changeCustom: { weight: 8, run: changeCustom },
  remove: { weight: 4, run: remove },
  start: { weight: 6, run: power('start') },
  stop: { weight: 3, run: power('stop') },
  forceStop: { weight: 2, run: power('force-stop') },
  reboot: { weight: 2, run: power('reboot') },
  renew: { weight: 3, run: renew },
  passTime: { weight: 2, run: passTime },
  reprice: { weight: 0.3, run: reprice },
  restartNode: { weight: 0.1, run: restartNode },
} satisfies Record<string, { weight: number; run: Operation }>;

export type OperationName = keyof typeof OPERATIONS;
