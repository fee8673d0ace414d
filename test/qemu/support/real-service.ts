import type { TestContext } from 'node:test';
import { type Customer, newCustomer } from '../../chaos/support/customer.ts';
import { type DatabaseLocation, freshDatabaseLocation } from '../../support/database.ts';
import { type Service, startService } from '../../support/service.ts';
import { offerTiny } from './offer.ts';

/** Waiting by asking again and again must not run into a limit. */
const UNLIMITED = '10000000';

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
  const settings = {
    ...(await offerTiny(location.env.VAUBAN_DATA_DIR)),
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
