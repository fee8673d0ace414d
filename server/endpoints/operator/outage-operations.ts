import type { FastifyInstance } from 'fastify';
import {
  type CreditedOutage,
  findOutage,
  insertOutage,
  listOutages,
  type OutageRow,
} from '../../db/queries/outages.ts';
import { systemFindVm } from '../../db/queries/vms.ts';
import { creditNextVm } from '../../domain/billing/adjustments/credit-outage.ts';
import { toJsonInteger } from '../../domain/billing/money.ts';
import type { Catalog } from '../../domain/catalog/catalog-schema.ts';
import { pageFrom, paginated } from '../../http/page.ts';
import { Input, PageQuery, Timestamp } from '../../http/schemas.ts';
import { type OperatorServices, register } from '../../operator/operation.ts';
import { ApiError, invalidField, notFound } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { Type } from '../../platform/schema.ts';
import { Reason, requireReadable } from './shared/input.ts';
import { Key, once } from './shared/once.ts';

/** VMs that one request credits, each in a transaction: the caller repeats it until the outage is credited. */
const VMS_A_REQUEST = 50;

const NewOutage = Input({
  region: Type.Optional(Type.String()),
  vm_id: Type.Optional(Type.String()),
  from: Timestamp(),
  to: Timestamp(),
  reason: Reason,
  key: Key,
});

/** Outages: reported, listed, and credited by the rule of the catalog. */
export function registerOutageOperations(app: FastifyInstance, services: OperatorServices): void {
  const { catalog, clock, db, logger } = services;

  register(app, services, {
    method: 'POST',
    path: '/outages',
    body: NewOutage,
    async handle({ body, actor }) {
      const { reason } = body;
      requireReadable('reason', reason);
      const data = await db.transaction((tx) =>
        once(tx, clock, { path: '/outages', body }, async () => {
          const now = clock.now();
          const span = spanOf(body, now);
          const { region = null, vm_id = null } = body;
          if ((region === null) === (vm_id === null))
            throw invalidField('region', 'one_of', 'give either region or vm_id');
          if (region !== null && !catalog.regions.some(({ code }) => code === region))
            throw invalidField('region', 'unknown', 'is no region of the catalog');
          if (vm_id !== null && !(await systemFindVm(tx, vm_id)))
            throw invalidField('vm_id', 'unknown', 'is no VM');
          const id = newId('out', clock);
          return present(
            await insertOutage(tx, { id, region, vm_id, ...span, reason, actor, created_at: now }),
          );
        }),
      );
      logger.info({ outage_id: data.id }, 'outage reported');
      return { data };
    },
  });

  register(app, services, {
    method: 'GET',
    path: '/outages',
    query: Input(PageQuery),
    async handle({ query }) {
      const page = pageFrom(query);
      return paginated(await listOutages(db, page), page, (outage) => presentCredited(outage, catalog));
    },
  });

  register(app, services, {
    method: 'POST',
    path: '/outages/:id/credit',
    async handle({ id, actor }) {
      const rule = catalog.sla?.credits;
      if (!rule)
        throw new ApiError(
          'invalid_state',
          'The catalog does not say what an outage is credited: it has no `sla`.',
        );
      const credit = { outageId: id, rule, actor };
      for (let vms = 0; vms < VMS_A_REQUEST; vms++)
        if (!(await db.transaction((tx) => creditNextVm({ tx, clock }, credit)))) break;
      const outage = await findOutage(db, id);
      if (!outage) throw notFound();
      const data = presentCredited(outage, catalog);
      logger.info({ outage_id: id, status: data.status, credited: data.credited }, 'outage credited');
      return { data };
    },
  });
}

function spanOf(body: { from: string; to: string }, now: Date): Pick<OutageRow, 'from_at' | 'to_at'> {
  const [from_at, to_at] = [new Date(body.from), new Date(body.to)];
  if (to_at <= from_at) throw invalidField('to', 'invalid', 'must be later than from');
  if (to_at > now)
    throw invalidField('to', 'in_future', 'must not be in the future: report an outage once it is over');
  return { from_at, to_at };
}

function present({ credited_up_to: _, ...outage }: OutageRow) {
  return outage;
}

/** One installation sells in one currency. */
function presentCredited({ credited, credited_minor, ...outage }: CreditedOutage, { currency }: Catalog) {
  return {
    ...present(outage),
    credited: Number(credited),
    credited_minor: toJsonInteger(credited_minor),
    currency,
  };
}
