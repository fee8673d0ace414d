import { type Sql, sql } from '../../server/db/database.ts';
import type { Catalog } from '../../server/domain/catalog/catalog-schema.ts';
import { sellAddOn } from '../jobs/support/add-ons.ts';
import { MINOR } from './billing-laws.ts';
import { priceIn } from './currencies.ts';
import type { Operation } from './operations.ts';
import { orderIn, outcome, type Tenant } from './tenant.ts';

/** The add-ons in every world, at prices in euros; the shipped catalog has none. */
export const ADD_ONS: NonNullable<Catalog['add_ons']> = [
  { code: 'address', name: 'Extra IPv4 address', price_monthly: '1.37', max_quantity: 4 },
  { code: 'backup', name: 'Backups', price_monthly: '0.50', max_quantity: 2 },
];

/** Buys an add-on, changes its quantity or gives it up: sometimes twice at once, on either node. */
const setAddOn: Operation = async (world, prng) => {
  const tenant = world.tenant(prng, ({ vmIds }) => vmIds.length > 0);
  const id = prng.pick(tenant.vmIds);
  if (!id) return 'no_vm';
  const wish = { addOn: prng.pick(ADD_ONS)!.code, quantity: prng.between(0, 4) };
  const most = prng.chance(0.2) ? prng.between(0, 500) : undefined;
  const outcomes = await Promise.all(
    Array.from({ length: prng.chance(0.1) ? 2 : 1 }, () => buy(world.someNode().services, tenant, id)),
  );
  return outcomes[0]!;

  async function buy(services: Parameters<typeof sellAddOn>[0], buyer: Tenant, vmId: string) {
    const reply = await sellAddOn(services, buyer.customer, vmId, wish, most);
    if (reply.status === 404) buyer.forget(vmId);
    if (reply.status !== 200) return outcome(reply);
    const { id: orderId, amountMinor } = orderIn(reply.data);
    if (reply.data.quote_minor !== amountMinor)
      throw new Error(`${orderId} is ${amountMinor}, its quote was ${reply.data.quote_minor}`);
    buyer.orders.set(orderId, amountMinor);
    return 'ok';
  }
};

/** Changes the price of an add-on, or announces one; running periods keep theirs. */
const repriceAddOn: Operation = async (world, prng) => {
  const { catalog, clock } = world.services;
  const addOn = prng.pick(catalog.add_ons!)!;
  const price_monthly = priceIn(catalog.currency, `${prng.between(0, 5)}.${prng.between(10, 99)}`);
  const day = (ahead: number) =>
    new Date(clock.now().getTime() + ahead * 86_400_000).toISOString().slice(0, 10);
  const ahead = prng.between(-5, 30);
  if (prng.chance(0.5)) addOn.price_monthly = price_monthly;
  else addOn.prices = [{ valid_from: day(ahead), existing_from: day(ahead + 20), price_monthly }];
  addOn.deprecated = prng.chance(0.2);
  return 'ok';
};

export const ADD_ON_OPERATIONS = {
  setAddOn: { weight: 9, run: setAddOn },
  repriceAddOn: { weight: 0.3, run: repriceAddOn },
} satisfies Record<string, { weight: number; run: Operation }>;

/** Laws of add-ons in addition to the audit's; `charged` and `months` are common terms. */
export const addOnLaws: Record<string, Sql> = {
  'an add-on is paid to the second in a month, whatever its quantities were': sql`
    with lines as (
      select charged.*, description like 'Unused time on %' as is_unused,
        count(*) over (partition by order_id, add_on) = 1 and description like 'Unused time on %' as is_removal
      from charged where unit = 'add_on' and not (kind = 'renew' and proration)
    ), paid as (
      select line.vm_id, line.add_on, months.from_at, months.to_at, sum(line.amount_minor) as paid, count(*) filter (where is_removal) as removals,
        sum(case when is_unused then -1 else 1 end * line.quantity * line.unit_price::numeric * ${MINOR} * line.seconds / months.length) as exact
      from lines line join months on months.vm_id = line.vm_id and months.to_at = line.to_at group by 1, 2, 3, 4
    )
    select vm_id || ' paid ' || paid || ' for a month of ' || add_on || ' worth ' || round(exact, 3) as what
    from paid, lateral (
      select coalesce(-sum(least(made.amount_minor, 0)), 0) as corrected from charged made
      where made.vm_id = paid.vm_id and made.add_on = paid.add_on and made.kind = 'adjustment'
        and made.from_at >= paid.from_at and made.to_at <= paid.to_at
    ) correction
    -- Each that is given up is refunded rounded down.
    where paid - exact not between -0.500001 and 0.500001 + removals + corrected`,
  'a renewal sells each add-on of its VM for the month of the VM, and charges grace only for these': sql`
    select line.order_id || ' sells ' || line.add_on || ' from ' || line.from_at as what
    from charged line where line.kind = 'renew' and line.unit = 'add_on' and not case when line.proration
      then exists (select 1 from charged sold where sold.order_id = line.order_id and sold.add_on = line.add_on and not sold.proration)
      else line.amount_minor = line.quantity * line.unit_price::numeric * ${MINOR} and exists (
        select 1 from months where months.order_id = line.order_id and (months.from_at, months.to_at) = (line.from_at, line.to_at)) end`,
};
