import { ConfigError } from '../../platform/config-error.ts';
import { readYaml } from '../../platform/yaml-file.ts';
import { catalogFaults } from './catalog-rules.ts';
import { type Catalog, CatalogSchema } from './catalog-schema.ts';

/** Reads the catalog file at `path`; throws {@link ConfigError} naming every fault with its line. */
export function loadCatalog(path: string): Catalog {
  const file = readYaml(path, CatalogSchema);
  const problems = catalogFaults(file.value).map((fault) => file.problem(fault.path, fault.reason));
  if (problems.length > 0) throw new ConfigError(problems);
  return file.value;
}
