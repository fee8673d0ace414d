import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { createImageStore } from '../../../server/compute/qemu/image-store.ts';
import { REPOSITORY } from '../../support/source.ts';
import { tinyImage } from '../../support/tiny-image.ts';

const TEMPLATE = {
  code: 'tiny',
  name: 'Tiny',
  os_family: 'debian',
  os_version: '12',
  arch: 'x86_64',
  min_disk_gb: 1,
  min_ram_mb: 256,
  default_user: 'root',
};
/** The smallest that a guest under emulation works well with, and twice that. */
const PLANS = [
  { code: 'small', vcpu: 1, ram_mb: 256, disk_gb: 1 },
  { code: 'large', vcpu: 2, ram_mb: 512, disk_gb: 2 },
];

/** Gives a service with this data directory the image of the tests to sell; the settings that it needs. */
export async function offerTiny(dataDir: string): Promise<Record<string, string>> {
  const catalog = join(dataDir, 'catalog.yaml');
  await writeFile(catalog, await tinyCatalog());
  await createImageStore(join(dataDir, 'images')).import({ ...(await tinyImage())!, name: TEMPLATE.code });
  return { VAUBAN_COMPUTE: 'qemu', VAUBAN_CATALOG: catalog };
}

/** The catalog that is shipped, with small plans and the image of the tests. */
async function tinyCatalog(): Promise<string> {
  const catalog = parse(await readFile(join(REPOSITORY, 'catalog.yaml'), 'utf8'));
  const [first] = catalog.plans;
  const plans = PLANS.map((plan, index) => ({
    ...first,
    ...plan,
    name: plan.code,
    price_monthly: `${index + 1}.00`,
  }));
  return stringify({ ...catalog, plans, templates: [TEMPLATE] });
}
