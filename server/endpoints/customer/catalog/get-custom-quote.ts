import { askHosts } from '../../../compute/ask.ts';
import { findBillingProfile } from '../../../db/queries/money/billing-profiles.ts';
import { lookUpWallet } from '../../../db/queries/money/wallets.ts';
import { firstPeriod } from '../../../domain/billing/period.ts';
import { monthCharge, termsOf } from '../../../domain/billing/pricing.ts';
import { catalogFor } from '../../../domain/catalog/buyer-prices.ts';
import { catalogAt } from '../../../domain/catalog/prices.ts';
import { requireCustom, requireHourly } from '../../../domain/vms/configuration.ts';
import { requireServed } from '../../../domain/vms/offer.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Shape } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { exampleQuote, presentQuote, quoteFields } from '../shared/quote-shape.ts';
import { BILLING } from '../vms/inputs.ts';

const Wanted = (description: string, example: number) =>
  Type.Integer({ minimum: 1, description, examples: [example] });

export const getCustomQuote = endpoint({
  audience: 'customer',
  operation: 'getCustomQuote',
  method: 'GET',
  path: '/v1/vm/custom-quote',
  money: true,
  scope: 'catalog:read',
  tag: 'catalog',
  summary: 'Quote a custom configuration',
  description:
    'Returns the price of a month in advance; with hourly billing, this is the maximum. To give a VM a custom configuration, use `POST /v1/vm/{id}/change-custom`.',
  query: Type.Object({
    vcpu: Wanted('Virtual CPUs', 2),
    ram_mb: Wanted('Memory in MiB', 2048),
    disk_gb: Wanted('Disk in GB', 40),
    billing: Type.Optional(BILLING),
    region: Type.Optional(Type.String({ maxLength: 63, description: 'Defaults to the default region' })),
  }),
  data: Shape(quoteFields, { $id: 'Quote', description: 'The current price of an operation' }),
  errors: [],
  example: exampleQuote,
  async handle({ query, services, db, caller, now }) {
    const buyer = await findBillingProfile(db, caller.accountId);
    const catalog = catalogAt(catalogFor(services.catalog, buyer), now);
    requireServed(catalog, { region: query.region }, await askHosts(services));
    const configuration = requireCustom(catalog, query);
    if (query.billing === 'hourly') requireHourly(configuration, 'billing');
    const terms = termsOf(catalog, buyer);
    const charge = monthCharge(configuration, firstPeriod(now), terms, query.billing);
    const wallet = await lookUpWallet(db, caller.accountId);
    return { data: presentQuote(catalog, charge, wallet, now) };
  },
});
