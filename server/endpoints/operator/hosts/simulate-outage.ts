import type { OperatorServices } from '../../../http/services.ts';
import { ApiError } from '../../../platform/errors.ts';
import { requireHost, showHost } from './host-shape.ts';

/** Starts or ends the outage of a simulated host and returns the host; throws `invalid_state` if hosts are real. */
export async function simulateOutage(services: OperatorServices, host: string, action: 'lose' | 'find') {
  const { outages, name } = services.compute;
  if (!outages) {
    throw new ApiError(
      'invalid_state',
      `Only hosts of the simulated engine can be made unreachable; this service runs ${name}.`,
    );
  }
  const { id } = await requireHost(services, host);
  await outages[action](id);
  return { data: await showHost(services, id) };
}
