import type { SimulatedOutages } from '../../../compute/driver.ts';
import type { OperatorServices } from '../../../operator/endpoint.ts';
import { ApiError } from '../../../platform/errors.ts';

/** The outages of pretence of the simulated engine: no other has any. */
export function requireOutages({ compute }: OperatorServices): SimulatedOutages {
  if (compute.outages) return compute.outages;
  throw new ApiError(
    'invalid_state',
    `Hosts can be lost for show on the simulated engine only; this service runs ${compute.name}.`,
  );
}
