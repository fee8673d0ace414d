import { CapacityError, ComputeUnavailableError } from '../../compute/driver.ts';
import { ApiError } from '../../platform/errors.ts';

/** Seconds after which a caller may try again when the engine was full or away. */
export const RETRY_AFTER_SECONDS = 30;

/** Runs a call to the compute driver within a request; its refusals become 503, before anything is committed. */
export async function askDriver<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const details = { retry_after_seconds: RETRY_AFTER_SECONDS };
    if (error instanceof CapacityError) {
      throw new ApiError(
        'capacity_unavailable',
        'There is no room for this VM at the moment.',
        details,
        error.message,
      );
    }
    if (error instanceof ComputeUnavailableError) {
      throw new ApiError(
        'compute_unavailable',
        'The compute engine does not answer.',
        details,
        error.message,
      );
    }
    throw error;
  }
}
