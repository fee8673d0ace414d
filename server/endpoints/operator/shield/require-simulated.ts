import type { SimulatedAttacks } from '../../../edge/driver.ts';
import type { OperatorServices } from '../../../http/services.ts';
import { ApiError } from '../../../platform/errors.ts';

/**
 * Returns the attacks of the simulated edge, the only one that can simulate them; throws `invalid_state` for any other
 * edge.
 */
export function requireSimulated({ edge }: OperatorServices): SimulatedAttacks {
  if (edge.attacks) return edge.attacks;
  throw new ApiError(
    'invalid_state',
    `Attacks can only be simulated on the simulated edge; this service runs the ${edge.name} edge.`,
  );
}
