import { inputOf, type Tool } from '../tool.ts';

export const listPlans: Tool = {
  name: 'list_plans',
  title: 'List plans and images',
  description:
    'Everything on sale: plans with their prices in minor units, OS templates, regions, custom sizes.',
  scopes: ['catalog:read'],
  power: 'read',
  input: inputOf({}),
  async call({ client, signal }) {
    const { plans, templates, regions, custom_limits, currency, net_prices, tax_rate } =
      await client.catalog.get({ signal });
    return {
      data: {
        currency,
        net_prices,
        tax_rate,
        plans: plans
          .filter(({ deprecated }) => !deprecated)
          .map(({ code, name, vcpu, ram_mb, disk_gb, price_hourly, regions, ...price }) => ({
            code,
            name,
            vcpu,
            ram_mb,
            disk_gb,
            price_monthly_minor: price.price_monthly_minor,
            price_monthly_net_minor: price.price_monthly_net_minor,
            price_hourly,
            regions: regions.filter(({ available }) => available).map((region) => region.code),
          })),
        templates: templates
          .filter(({ deprecated, available }) => available && !deprecated)
          .map(({ code, name, min_disk_gb, min_ram_mb }) => ({ code, name, min_disk_gb, min_ram_mb })),
        regions,
        custom_limits,
      },
    };
  },
};
