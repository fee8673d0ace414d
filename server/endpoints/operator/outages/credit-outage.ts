import { findOutage } from '../../../db/queries/hosts/outages.ts';
import { creditNextVm } from '../../../domain/billing/adjustments/credit-outage.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { PathId } from '../../../http/schemas.ts';
import { ApiError, notFound } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { CreditedOutageShape, presentCreditedOutage } from './outage-shape.ts';

/**
 * VMs credited per request, each in its own transaction: the caller repeats the request until the outage is credited.
 */
const VMS_A_REQUEST = 50;

export const creditOutage = endpoint({
  audience: 'operator',
  operation: 'creditOutage',
  method: 'POST',
  path: '/outages/{id}/credit',
  money: true,
  tag: 'money',
  summary: 'Credit an outage to the next affected VMs, by the rule of the catalog',
  description: 'Repeat it until the status is `credited`. Each VM is credited once.',
  params: Type.Object({ id: PathId('out', 'Outage identifier') }),
  data: CreditedOutageShape,
  errors: ['invalid_state'],
  async handle({ params: { id }, actor, services: { catalog, clock, db, logger } }) {
    const rule = catalog.sla?.credits;
    if (!rule)
      throw new ApiError(
        'invalid_state',
        'The catalog has no `sla`, which defines the credit for an outage.',
      );
    const credit = { outageId: id, rule, actor };
    for (let vms = 0; vms < VMS_A_REQUEST; vms++)
      if (!(await db.transaction((tx) => creditNextVm({ tx, clock }, credit)))) break;
    const outage = await findOutage(db, id);
    if (!outage) throw notFound();
    const data = presentCreditedOutage(outage, catalog);
    logger.info({ outage_id: id, status: data.status, credited: data.credited }, 'outage credited');
    return { data };
  },
});
