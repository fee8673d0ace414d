import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { Buildable } from '../../../scripts/image-cache.ts';
import type { Image } from '../../../server/compute/qemu/images/image.ts';
import { REPOSITORY } from '../../support/source.ts';
import { importBuilt } from '../../support/tiny-image.ts';

/** An image as it is sold; sizes are the smallest that work well under emulation, and twice that. */
export interface Offer {
  image: Buildable;
  user: string;
  plans: { code: 'small' | 'large'; vcpu: number; ram_mb: number; disk_gb: number }[];
}

const OFFERS: Record<Buildable, Offer> = {
  tiny: {
    image: 'tiny',
    user: 'root',
    plans: [
      { code: 'small', vcpu: 1, ram_mb: 256, disk_gb: 1 },
      { code: 'large', vcpu: 2, ram_mb: 512, disk_gb: 2 },
    ],
  },
  'debian-12': {
    image: 'debian-12',
    user: 'debian',
    plans: [
      { code: 'small', vcpu: 1, ram_mb: 1024, disk_gb: 4 },
      { code: 'large', vcpu: 2, ram_mb: 2048, disk_gb: 8 },
    ],
  },
};

/** The environment selects one of them. */
export const OFFER = OFFERS[(process.env.VAUBAN_TEST_IMAGE as Buildable | undefined) ?? 'tiny'];

/** Additional templates by code: the differences of their images. */
export type Variants = Record<string, (image: Image) => Partial<Image>>;

/** Values that replace those of all plans. */
export type PlanChange = Partial<Record<'ram_mb' | 'disk_iops' | 'disk_mbps' | 'network_mbps', number>>;

/** Gives a service with this data directory the test image to sell; returns the settings that it needs. */
export async function makeOffer(
  dataDir: string,
  variants: Variants = {},
  change: PlanChange = {},
): Promise<Record<string, string>> {
  const catalog = join(dataDir, 'catalog.yaml');
  await writeFile(catalog, await catalogOf([OFFER.image, ...Object.keys(variants)], change));
  await importBuilt(dataDir, OFFER.image);
  for (const [name, changed] of Object.entries(variants)) {
    await importBuilt(dataDir, OFFER.image, (image) => ({ ...changed(image), name }));
  }
  return { VAUBAN_COMPUTE: 'qemu', VAUBAN_CATALOG: catalog };
}

/** Writes the shipped catalog with small plans and these templates. */
async function catalogOf(templates: string[], change: PlanChange): Promise<string> {
  const catalog = parse(await readFile(join(REPOSITORY, 'catalog.yaml'), 'utf8'));
  const [first] = catalog.plans;
  const plans = OFFER.plans.map((plan, index) => ({
    ...first,
    ...plan,
    ...change,
    name: plan.code,
    price_monthly: `${index + 1}.00`,
  }));
  const [{ ram_mb, disk_gb }] = OFFER.plans as [Offer['plans'][number]];
  const template = {
    name: OFFER.image,
    os_family: 'debian',
    os_version: '12',
    arch: 'x86_64',
    min_disk_gb: disk_gb,
    min_ram_mb: change.ram_mb ?? ram_mb,
    default_user: OFFER.user,
  };
  return stringify({ ...catalog, plans, templates: templates.map((code) => ({ ...template, code })) });
}
