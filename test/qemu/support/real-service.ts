import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { parse, stringify } from 'yaml';
import { createImageStore } from '../../../server/compute/qemu/image-store.ts';
import { type Customer, newCustomer } from '../../chaos/support/customer.ts';
import { type DatabaseLocation, freshDatabaseLocation } from '../../support/database.ts';
import { type Service, startService } from '../../support/service.ts';
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
/** Waiting by asking again and again must not run into a limit. */
const UNLIMITED = '10000000';
/** The smallest that a guest under emulation works well with, and twice that. */
const PLANS = [
  { code: 'small', vcpu: 1, ram_mb: 256, disk_gb: 1 },
  { code: 'large', vcpu: 2, ram_mb: 512, disk_gb: 2 },
];

/** A service that sells real machines, and a customer with money. */
export interface RealService {
  customer: Customer;
  location: DatabaseLocation;
  service(): Service;
  /** Ends the service by force, as a crash does, and starts it again. */
  crash(): Promise<void>;
}

export async function startRealService(t: TestContext, env: Record<string, string>): Promise<RealService> {
  const location = await freshDatabaseLocation(t);
  const dataDir = location.env.VAUBAN_DATA_DIR;
  const catalog = join(dataDir, 'catalog.yaml');
  await writeFile(catalog, await sold());
  await createImageStore(join(dataDir, 'images')).import({ ...(await tinyImage())!, name: TEMPLATE.code });
  const settings = {
    VAUBAN_COMPUTE: 'qemu',
    VAUBAN_CATALOG: catalog,
    VAUBAN_RATE_LIMIT_KEY: UNLIMITED,
    VAUBAN_RATE_LIMIT_ACCOUNT: UNLIMITED,
    ...env,
  };
  let service!: Service;
  let customer: Customer | undefined;
  const begin = async () => {
    service = await startService(t, { location, env: settings });
    if (customer) customer.target = service;
  };
  await begin();
  customer = await newCustomer(service);
  return {
    customer,
    location,
    service: () => service,
    async crash() {
      await service.kill();
      await begin();
    },
  };
}

/** The catalog that is shipped, with small plans and the image of the tests. */
async function sold(): Promise<string> {
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
