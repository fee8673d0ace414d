import { lookUpWallet } from '../../db/queries/wallets.ts';
import { firstPeriod, monthCharge } from '../../domain/billing/pricing.ts';
import { findRegion } from '../../domain/catalog/lookup.ts';
import { requireCustom } from '../../domain/vms/configuration.ts';
import { invalidField } from '../../platform/errors.ts';
import { Type } from '../../platform/schema.ts';
import { endpoint } from '../endpoint.ts';
import { exampleQuote, presentQuote, quoteFields } from '../quote-shape.ts';
import { Shape } from '../schemas.ts';

const Wanted = (description: string, example: number) =>
  Type.Integer({ minimum: 1, description, examples: [example] });

export const getCustomQuote = endpoint({
  operation: 'getCustomQuote',
  method: 'GET',
  path: '/v1/vm/custom-quote',
  scope: 'catalog:read',
  tag: 'catalog',
  summary: 'Quote a custom configuration',
  description: 'The price of a month. A VM gets a custom configuration by `POST /v1/vm/{id}/change-custom`.',
  query: Type.Object({
    vcpu: Wanted('Virtual CPUs', 2),
    ram_mb: Wanted('Memory in MiB', 2048),
    disk_gb: Wanted('Disk in GB', 40),
    region: Type.Optional(Type.String({ maxLength: 63, description: 'The default region when absent' })),
  }),
  data: Shape(quoteFields, { $id: 'Quote', description: 'What an operation would cost now' }),
  errors: [],
  example: exampleQuote,
  async handle({ query, services: { catalog }, db, caller, now }) {
    if (query.region !== undefined && !findRegion(catalog, query.region)) {
      throw invalidField('region', 'unknown', `there is no region ${query.region}`);
    }
    const configuration = requireCustom(catalog, query);
    const charge = monthCharge(configuration, firstPeriod(now), catalog.currency);
    const wallet = await lookUpWallet(db, caller.accountId);
    return { data: presentQuote(catalog, charge, configuration, wallet, now) };
  },
});
