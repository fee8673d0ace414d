import type { VmRow } from '../../db/queries/vms.ts';
import type { Catalog } from '../catalog/catalog-schema.ts';
import { findPlan } from '../catalog/lookup.ts';
import { currentConfiguration } from '../vms/configuration.ts';
import { type Configuration, customConfiguration, planConfiguration } from './pricing.ts';

/**
 * What a VM is renewed as: what it has, at today's price of its plan or of its parts. A plan that the catalog
 * no longer knows keeps the price it was sold at.
 */
export function renewalConfiguration(vm: VmRow, catalog: Catalog): Configuration {
  const current = currentConfiguration(vm, catalog);
  return { ...current, price_monthly_minor: priceToday(current, catalog) };
}

function priceToday(current: Configuration, catalog: Catalog): bigint {
  if (current.plan === null) return customConfiguration(current, catalog).price_monthly_minor;
  const plan = findPlan(catalog, current.plan);
  return plan ? planConfiguration(plan, catalog.currency).price_monthly_minor : current.price_monthly_minor;
}
