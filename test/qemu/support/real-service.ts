import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { parse, stringify } from 'yaml';
import type { Buildable } from '../../../scripts/image-cache.ts';
import type { Image } from '../../../server/compute/qemu/image.ts';
import { type Customer, newCustomer } from '../../chaos/support/customer.ts';
import { defer } from '../../support/cleanup.ts';
import { type DatabaseLocation, freshDatabaseLocation } from '../../support/database.ts';
import { type Service, startService } from '../../support/service.ts';
import { REPOSITORY } from '../../support/source.ts';
import { importBuilt } from '../../support/tiny-image.ts';
import { killMachines } from './machines.ts';

/** What an image is sold as; sizes are the smallest that a guest under emulation works well with, and twice that. */
interface Offer {
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
/** Which of them: the environment says so. */
const OFFER = OFFERS[(process.env.VAUBAN_TEST_IMAGE as Buildable | undefined) ?? 'tiny'];
/** Waiting by asking again and again must not run into a limit. */
const UNLIMITED = '10000000';

/** What differs from a service that sells one image at an operator's first start. */
export interface RealOptions {
  env?: Record<string, string>;
  /** The program, relative to the repository. */
  entry?: string;
  /** More templates than "tiny", by code: what differs of their images. */
  templates?: Record<string, (tiny: Image) => Partial<Image>>;
  /** Called before the first start, when the images are there; returns more of the environment. */
  prepare?(dataDir: string): Promise<Record<string, string>>;
}

/** A service that sells real machines, and a customer with money. */
export interface RealService {
  customer: Customer;
  /** Its template is named like the image, its plans are `small` and `large`. */
  offer: Offer;
  location: DatabaseLocation;
  service(): Service;
  /** Ends the service by force, as a crash does, and starts it again. */
  crash(): Promise<void>;
  /** Starts it again after it has died as it was told to. */
  revive(): Promise<void>;
}

export async function startRealService(t: TestContext, options: RealOptions = {}): Promise<RealService> {
  const { env, entry, templates = {}, prepare } = options;
  const location = await freshDatabaseLocation(t);
  const dataDir = location.env.VAUBAN_DATA_DIR;
  const catalog = join(dataDir, 'catalog.yaml');
  await writeFile(catalog, await sold([OFFER.image, ...Object.keys(templates)]));
  // Of a test that failed before its customer deleted the VM.
  defer(t, () => killMachines(dataDir));
  await importBuilt(dataDir, OFFER.image);
  for (const [name, changed] of Object.entries(templates)) {
    await importBuilt(dataDir, OFFER.image, (image) => ({ ...changed(image), name }));
  }
  const more = await prepare?.(dataDir);
  const settings = {
    VAUBAN_COMPUTE: 'qemu',
    VAUBAN_CATALOG: catalog,
    VAUBAN_RATE_LIMIT_KEY: UNLIMITED,
    VAUBAN_RATE_LIMIT_ACCOUNT: UNLIMITED,
    ...env,
    ...more,
  };
  let service!: Service;
  let customer: Customer | undefined;
  const begin = async () => {
    service = await startService(t, { location, entry, env: settings });
    if (customer) customer.target = service;
  };
  await begin();
  customer = await newCustomer(service);
  return {
    customer,
    offer: OFFER,
    location,
    service: () => service,
    async crash() {
      await service.kill();
      await begin();
    },
    async revive() {
      // Its end may not have reached this process yet; then there is nothing to complain of.
      await service.kill().catch(({ message }) => assert.match(message, /ended by itself with SIGKILL/));
      await begin();
    },
  };
}

/** The catalog that is shipped, with small plans and the image of the tests. */
async function sold(templates: string[]): Promise<string> {
  const catalog = parse(await readFile(join(REPOSITORY, 'catalog.yaml'), 'utf8'));
  const [first] = catalog.plans;
  const plans = OFFER.plans.map((plan, index) => ({
    ...first,
    ...plan,
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
    min_ram_mb: ram_mb,
    default_user: OFFER.user,
  };
  return stringify({ ...catalog, plans, templates: templates.map((code) => ({ ...template, code })) });
}
