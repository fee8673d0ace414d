import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { type Customer, newCustomer } from '../../chaos/support/customer.ts';
import { defer } from '../../support/cleanup.ts';
import { type DatabaseLocation, freshDatabaseLocation } from '../../support/database.ts';
import { type Service, startService } from '../../support/service.ts';
import { killMachines } from './machines.ts';
import { makeOffer, OFFER, type Offer, type Variants } from './offer.ts';

/** Waiting by asking again and again must not run into a limit. */
const UNLIMITED = '10000000';

/** What differs from a service that sells one image at an operator's first start. */
export interface RealOptions {
  env?: Record<string, string>;
  /** The program, relative to the repository. */
  entry?: string;
  templates?: Variants;
  /** Called before the first start, when the images are there; returns more of the environment. */
  prepare?(dataDir: string): Promise<Record<string, string>>;
}

/** A service that sells real guests, and a customer with money. */
export interface RealService {
  customer: Customer;
  /** Its template is named like the image, its plans are `small` and `large`. */
  offer: Offer;
  location: DatabaseLocation;
  /** What it is started with. */
  settings: Record<string, string>;
  service(): Service;
  /** Ends the service by force, as a crash does, and starts it again. */
  crash(): Promise<void>;
  /** Starts it again after it has died as ordered. */
  revive(): Promise<void>;
}

export async function startRealService(t: TestContext, options: RealOptions = {}): Promise<RealService> {
  const { env, entry, templates = {}, prepare } = options;
  const location = await freshDatabaseLocation(t);
  const dataDir = location.env.VAUBAN_DATA_DIR;
  // Of a test that failed before its customer deleted the VM.
  defer(t, () => killMachines(dataDir));
  const offer = await makeOffer(dataDir, templates);
  const more = await prepare?.(dataDir);
  const settings = {
    ...offer,
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
    settings,
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
