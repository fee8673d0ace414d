import type { Role } from '../../server/access/roles.ts';
import { type Database, sql } from '../../server/db/database.ts';
import { listPromoCredits } from '../../server/db/queries/money/promo-credits.ts';
import { revokePromo } from '../../server/domain/billing/promo-credits.ts';
import { addMember } from '../../server/domain/people/create-person.ts';
import type { Call, Reply } from '../jobs/support/customer.ts';
import type { Operation } from './operations.ts';
import type { Person } from './people.ts';
import type { Prng } from './prng.ts';
import { CREATE_PATH, orderIn, outcome, refundIn, refusalOf, type Tenant } from './tenant.ts';
import { credit } from './top-ups.ts';
import type { World } from './world.ts';

const ROLES = ['owner', 'operator', 'viewer'] as const satisfies Role[];
/** The most members of an account at the same time, including removed ones. */
const MOST_MEMBERS = 5;

interface Member extends Person {
  /** The membership's id; null once it has ended. */
  membership: string | null;
  role: Role | null;
}

interface Circle {
  members: Member[];
  /** A change is in progress; no other one may begin. */
  isChanging: boolean;
  /** Incremented by each change when it begins and when it ends. */
  changes: number;
}

const circles = new WeakMap<Tenant, Circle>();

function circleOf(tenant: Tenant): Circle {
  const circle = circles.get(tenant) ?? { members: [], isChanging: false, changes: 0 };
  circles.set(tenant, circle);
  return circle;
}

/** Changes permissions in an account: one change at a time. */
async function changing(tenant: Tenant, work: (circle: Circle) => Promise<string>): Promise<string> {
  const circle = circleOf(tenant);
  if (circle.isChanging) return 'is_changing';
  circle.isChanging = true;
  circle.changes++;
  try {
    return await work(circle);
  } finally {
    circle.isChanging = false;
    circle.changes++;
  }
}

/** Restores the notebooks of customers who lost them. */
export async function rememberMembers(db: Database, tenant: Tenant): Promise<void> {
  circleOf(tenant).members = await db.query<Member>(sql`
    select people.id, email, memberships.id as membership, role
    from memberships join people on people.id = person_id
    where account_id = ${tenant.customer.accountId} order by memberships.id`);
}

const ownerOf = ({ members }: Circle) => members.find(({ role }) => role === 'owner');

/** The first owner comes through the operator's link, the others through invitations. */
const invite: Operation = (world, prng, key) => {
  const tenant = world.tenant(prng, (one) => circleOf(one).members.length < MOST_MEMBERS);
  return changing(tenant, async (circle) => {
    if (circle.members.length >= MOST_MEMBERS) return 'full';
    const { people, services } = world;
    const { accountId } = tenant.customer;
    const person = await people.meet(`${key}@example.com`);
    const owner = ownerOf(circle);
    if (!owner) {
      const place = { personId: person.id, accountId, role: 'owner' as const };
      const membership = await services.db.transaction((tx) => addMember(tx, services.clock, place));
      circle.members.push({ ...person, role: 'owner', membership });
      return 'ok';
    }
    const role = prng.pick(ROLES)!;
    const { email } = person;
    const call = { method: 'POST', path: '/members', body: { email, role } } as const;
    const invited = await people.ask(prng, owner, accountId, call, key);
    if (invited.error) return invited.error.code;
    const token = await people.invitationTo(email);
    const accept = { method: 'POST', path: '/invitations/accept', body: { token } } as const;
    const accepted = outcome(await people.ask(prng, person, accountId, accept, key));
    if (accepted !== 'ok') return accepted;
    const [row] = await services.db.query<{ id: string }>(
      sql`select id from memberships where person_id = ${person.id}`,
    );
    circle.members.push({ ...person, role, membership: row!.id });
    return 'ok';
  });
};

/** An owner changes a member's role or removes the member, who may be the last owner. */
const changeMember: Operation = (world, prng, key) => {
  const tenant = world.tenant(prng, (one) => circleOf(one).members.length > 1);
  return changing(tenant, async (circle) => {
    const owner = ownerOf(circle);
    const member = prng.pick(circle.members.filter(({ membership }) => membership !== null));
    if (!owner || !member) return 'no_member';
    const role = prng.chance(0.7) ? prng.pick(ROLES)! : null;
    const path = `/members/${member.membership}`;
    const call: Call = role ? { method: 'PATCH', path, body: { role } } : { method: 'DELETE', path };
    const done = outcome(await world.people.ask(prng, owner, tenant.customer.accountId, call, key));
    const owners = circle.members.filter((one) => one.role === 'owner').length;
    const isLast = member.role === 'owner' && owners === 1 && role !== 'owner';
    if ((done === 'ok') === isLast) throw new Error(`${member.id}, ${member.role}, became ${role}: ${done}`);
    if (done !== 'ok') return done;
    member.role = role;
    if (!role) member.membership = null;
    return role ? 'ok' : 'removed';
  });
};

/** A member's request that moves money: only their role decides whether it is allowed. */
interface Wish {
  call: Call;
  note(reply: Reply): void;
}

function wishOf(tenant: Tenant, prng: Prng): Wish {
  const vm = prng.pick(tenant.vmIds);
  const plan = prng.pick(['s1', 's2', 'd2'])!;
  switch (prng.pick(vm ? ['topUp', 'create', 'change', 'remove'] : ['topUp', 'create'])) {
    case 'topUp': {
      const amount_minor = prng.between(5, 30) * 100;
      const call = { method: 'POST', path: '/top-ups', body: { provider: 'test', amount_minor } } as const;
      const note = ({ data }: Reply) =>
        credit(tenant, { id: data.top_up.id, amount_minor: BigInt(amount_minor) });
      return { call, note };
    }
    case 'create': {
      const body = { plan, template: 'debian-12', hostname: 'web', start: prng.chance(0.5) };
      const call = { method: 'POST', path: CREATE_PATH, body } as const;
      return { call, note: (reply) => tenant.note(call, reply, orderIn) };
    }
    case 'change': {
      const path = `${CREATE_PATH}/${vm}/change-plan`;
      const call = { method: 'POST', path, body: { plan, allow_reboot: true } } as const;
      return { call, note: (reply) => tenant.note(call, reply, orderIn) };
    }
    default: {
      const call = { method: 'DELETE', path: `${CREATE_PATH}/${vm}` } as const;
      return { call, note: (reply) => tenant.note(call, reply, refundIn) };
    }
  }
}

const actAsMember: Operation = async (world, prng, key) => {
  const tenant = world.tenant(prng, (one) => circleOf(one).members.length > 0);
  const circle = circleOf(tenant);
  const member = prng.pick(circle.members);
  if (!member) return 'no_member';
  const { isChanging, changes } = circle;
  const { role } = member;
  const { call, note } = wishOf(tenant, prng);
  const reply = await world.people.ask(prng, member, tenant.customer.accountId, call, key);
  if (reply.status === 200) note(reply);
  const code = outcome(reply);
  const isSettled = !isChanging && circle.changes === changes;
  const may = role === 'owner' || role === 'operator';
  if (isSettled && (code === 'role_required') === may)
    throw new Error(`${member.id}, ${role}, asked for ${call.method} ${call.path}: ${code}`);
  return may ? code : `as_${role ?? 'stranger'}_${code}`;
};

/** Deletes as much as possible of a customer's property at once; jobs delete the rest. */
async function windUp({ services: { clock, db } }: World, tenant: Tenant, key: string): Promise<void> {
  const { customer } = tenant;
  for (const id of tenant.vmIds) {
    const reply = await tenant.order(
      { method: 'DELETE', path: `${CREATE_PATH}/${id}` },
      `${key}-${id}`,
      refundIn,
    );
    if (reply.status === 404) tenant.forget(id);
    outcome(reply);
  }
  for (const { id } of await listPromoCredits(db, customer.accountId, { limit: 100, afterId: null }))
    await db.transaction((tx) => revokePromo(tx, clock, id));
  const { available_minor, promo_minor } = await customer.wallet();
  const money = available_minor - promo_minor;
  if (money > 0n) await refusalOf(tenant.payOut(money));
}

/** A customer leaves over several operations; once the account is empty, an owner or the operator closes it. */
const close: Operation = async (world, prng, key) => {
  const leaving = world.tenants.filter(({ isLeaving }) => isLeaving);
  const tenant = prng.pick(prng.chance(0.8) && leaving.length > 0 ? leaving : world.tenants)!;
  if (prng.chance(0.8)) {
    tenant.isLeaving = true;
    await windUp(world, tenant, key);
  }
  return changing(tenant, async (circle) => {
    const { accountId } = tenant.customer;
    const owner = prng.chance(0.5) ? ownerOf(circle) : undefined;
    const body = { name: 'Test' };
    const code = owner
      ? outcome(
          await world.people.ask(
            prng,
            owner,
            accountId,
            { method: 'POST', path: '/account/close', body },
            key,
          ),
        )
      : ((await world.operator.ask(prng, `/accounts/${accountId}/close`)).code ?? 'ok');
    if (code !== 'ok') return code;
    for (const member of circle.members) member.role = null;
    await world.replace(tenant);
    return 'ok';
  });
};

/** The actions of people in shared accounts and their weights. */
export const MEMBERS = {
  invite: { weight: 1.5, run: invite },
  changeMember: { weight: 1, run: changeMember },
  actAsMember: { weight: 3, run: actAsMember },
  close: { weight: 1, run: close },
} satisfies Record<string, { weight: number; run: Operation }>;

/** Violations by closed accounts and members that the database alone can show. */
export const memberLaws = {
  'nothing is left in a closed account that could do something': sql`
    select accounts.id || ' has ' || what as what from accounts, lateral (
      select 'the VM ' || id as what from vms where account_id = accounts.id and deleted_at is null
      union all select 'the key ' || id from api_keys where account_id = accounts.id and revoked_at is null
      union all select 'the order ' || id from orders where account_id = accounts.id and status = 'pending'
    ) as rest where accounts.status = 'closed'`,
  'an account with members has an owner': sql`
    select account_id || ' has ' || count(*) || ' members' as what from memberships
    group by account_id having count(*) filter (where role = 'owner') = 0`,
};

/** Closed accounts in which something was ordered after the closing. */
export async function wokenUp(world: World): Promise<string[]> {
  const rows = await world.services.db.query<{ account_id: string; orders: number }>(sql`
    select account_id, count(*)::int as orders from orders where account_id = any(${[...world.closedWith.keys()]}::text[])
    group by account_id`);
  return rows.flatMap(({ account_id, orders }) =>
    orders === world.closedWith.get(account_id) ? [] : [`${account_id} is closed and ordered something`],
  );
}
