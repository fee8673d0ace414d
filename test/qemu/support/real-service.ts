import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { type Customer, newCustomer } from '../../chaos/support/customer.ts';
import { defer } from '../../support/cleanup.ts';
import { type DatabaseLocation, freshDatabaseLocation } from '../../support/database.ts';
import { type Service, startService } from '../../support/service.ts';
import { killMachines } from './machines.ts';
import { makeOffer, OFFER, type Offer, type Variants } from './offer.ts';

/** Waiting by polling must not run into a limit. */
const UNLIMITED = '10000000';

/** Differences from a service that sells one image at an operator's first start. */
export interface RealOptions {
  env?: Record<string, string>;
  /** The program, relative to the repository. */
  entry?: string;
  templates?: Variants;
  /** Called before the first start, when the images exist; returns additional environment. */
  prepare?(dataDir: string): Promise<Record<string, string>>;
}

/** A service that sells real guests, and a customer with money. */
export interface RealService {
  customer: Customer;
  /** Its template is named like the image; its plans are `small` and `large`. */
  offer: Offer;
  location: DatabaseLocation;
  /** The environment of its starts. */
  settings: Record<string, string>;
  service(): Service;
  /** Kills the service, like a crash, and restarts it. */
  crash(): Promise<void>;
  /** Restarts it after it has died on command. */
  revive(): Promise<void>;
}

export async function startRealService(t: TestContext, options: RealOptions = {}): Promise<RealService> {
  const { env, entry, templates = {}, prepare } = options;
  const location = await freshDatabaseLocation(t);
  const dataDir = location.env.VAUBAN_DATA_DIR;
  // For a test that failed before its customer deleted the VM.
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
      // This process may not have noticed the service's end yet; then nothing is wrong.
      await service.kill().catch(({ message }) => assert.match(message, /ended by itself with SIGKILL/));
      await begin();
    },
  };
}
