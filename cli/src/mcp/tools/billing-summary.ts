import { firstOf } from '../lists.ts';
import { inputOf, type Tool } from '../tool.ts';

export const billingSummary: Tool = {
  name: 'billing_summary',
  title: 'Wallet and costs',
  description:
    "The wallet, this month's costs so far and forecast, overdue amounts, usage and limits, and the latest orders and invoices. Amounts are in minor units.",
  scopes: ['billing:read'],
  power: 'read',
  input: inputOf({}),
  async call({ client, signal }) {
    const options = { signal };
    const [wallet, summary, usage, orders, invoices] = await Promise.all([
      client.billing.wallet(options),
      client.billing.summary(options),
      client.billing.usage(options),
      firstOf((limit) => client.billing.orders({ limit }, options), 10),
      firstOf((limit) => client.billing.invoices({ limit }, options), 10),
    ]);
    return { data: { wallet, summary, usage, orders, invoices } };
  },
};
