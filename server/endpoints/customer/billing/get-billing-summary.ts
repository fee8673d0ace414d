import { billedVms } from '../../../db/queries/money/billed-vms.ts';
import { netOfOrders } from '../../../db/queries/money/orders.ts';
import { lookUpWallet } from '../../../db/queries/money/wallets.ts';
import { tenantIdsOf } from '../../../db/queries/shield/shield-tenants.ts';
import { catalogOf } from '../../../domain/billing/buyers.ts';
import { calendarMonth } from '../../../domain/billing/period.ts';
import { endpoint } from '../../../http/endpoint.ts';
import {
  BillingSummaryShape,
  exampleBillingSummary,
  presentBillingSummary,
} from './billing-summary-shape.ts';

export const getBillingSummary = endpoint({
  audience: 'customer',
  operation: 'getBillingSummary',
  method: 'GET',
  path: '/v1/billing/summary',
  scope: 'billing:read',
  tag: 'billing',
  summary: 'Get the billing overview',
  description:
    'Returns the charges of this month, the next charges, and overdue amounts with the dates on which unpaid VMs are switched off and deleted.',
  data: BillingSummaryShape,
  errors: [],
  example: exampleBillingSummary,
  async handle({ caller, db, services, now }) {
    const [wallet, monthToDate, vms, tenantIds, catalog] = await Promise.all([
      lookUpWallet(db, caller.accountId),
      netOfOrders(db, caller.accountId, calendarMonth(now)),
      billedVms(db, caller.accountId),
      tenantIdsOf(db, caller.accountId),
      catalogOf(db, services.catalog, caller.accountId),
    ]);
    return { data: presentBillingSummary({ wallet, vms, monthToDate, tenantIds }, catalog, now) };
  },
});
