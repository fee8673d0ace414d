import type { Catalog, Limits } from '../catalog/catalog-schema.ts';

/** The quotas of an account: the catalog's, with the ones that an operator granted it on top. */
export function limitsOf(catalog: Pick<Catalog, 'limits'>, account: { limits: Partial<Limits> }): Limits {
  return { ...catalog.limits, ...account.limits };
}
