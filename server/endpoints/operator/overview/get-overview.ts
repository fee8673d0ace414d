import {
  type MoneyRow,
  moneySince,
  operatorOverview,
} from '../../../db/queries/service/operator-overview.ts';
import { toJsonInteger } from '../../../domain/billing/money.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Count, Currency, Minor, Shape } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { VERSION } from '../../../platform/version.ts';

const MoneyShape = Shape(
  {
    received_minor: Minor('Payments received'),
    paid_out_minor: Minor('Payments returned'),
    sold_minor: Minor('Settled orders minus refunds'),
  },
  { $id: 'MoneyOfSpan', description: 'Money of all accounts in a period' },
);

export const getOverview = endpoint({
  audience: 'operator',
  operation: 'getOverview',
  method: 'GET',
  path: '/overview',
  tag: 'service',
  summary: 'Get the status of the service: money, tasks for the operator, current activity',
  description: 'Days and months are in UTC.',
  data: Shape(
    {
      version: Type.String(),
      database: Type.String(),
      compute: Type.String({ description: 'The engine of the VMs' }),
      edge: Type.String({ description: 'The edge that protects addresses' }),
      currency: Currency,
      today: MoneyShape,
      month: MoneyShape,
      accounts_active: Count('Active accounts'),
      accounts_suspended: Count('Suspended accounts'),
      vms_total: Count('Existing VMs'),
      vms_running: Count('Of those, running'),
      vms_error: Count('The number of them in state `error`'),
      vms_unpaid: Count('Of those, unpaid'),
      jobs_active: Count('Unfinished jobs'),
      jobs_stuck: Count('The number of them that keep failing'),
      mails_failed: Count('Undeliverable mails'),
      transfers_waiting: Count('Announced but unconfirmed bank transfers'),
      transfers_waiting_minor: Minor('Their amount'),
      attacks_ongoing: Count('Ongoing attacks'),
    },
    { $id: 'Overview', description: 'Status of the service' },
  ),
  errors: [],
  async handle({ services: { catalog, clock, compute, db, edge } }) {
    const now = clock.now();
    const day = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()));
    const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1));
    const counts = await operatorOverview(db);
    return {
      data: {
        version: VERSION,
        database: db.engine,
        compute: compute.name,
        edge: edge.name,
        currency: catalog.currency,
        today: presentMoney(await moneySince(db, day)),
        month: presentMoney(await moneySince(db, month)),
        ...counts,
        transfers_waiting_minor: toJsonInteger(counts.transfers_waiting_minor),
      },
    };
  },
});

const presentMoney = ({ received_minor, paid_out_minor, sold_minor }: MoneyRow) => ({
  received_minor: toJsonInteger(received_minor),
  paid_out_minor: toJsonInteger(paid_out_minor),
  sold_minor: toJsonInteger(sold_minor),
});
