import { ApiError, capacityUnavailable, computeUnavailable } from '../platform/errors.ts';
import {
  CapacityError,
  type ComputeDriver,
  ComputeUnavailableError,
  type EngineTemplate,
  type HostInfo,
} from './driver.ts';

// Questions that a request asks the compute driver. A driver may be slow, so none of these may be asked inside a
// transaction.

interface Engine {
  compute: ComputeDriver;
}

/** Calls the compute driver within a request. Its refusals become 503, before anything is committed. */
export async function askDriver<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof CapacityError) throw capacityUnavailable(error.message);
    if (error instanceof ComputeUnavailableError) throw computeUnavailable(error.message);
    throw error;
  }
}

/** Returns the engine's hosts with their capacity, or the error to answer with if it does not respond. */
export function askHosts({ compute }: Engine): Promise<HostInfo[] | ApiError> {
  return orRefusal(() => compute.hosts());
}

/** Returns what guests of a template need, in one region or any; undefined if the engine has no image for it. */
export function askTemplate(
  { compute }: Engine,
  code: string,
  region?: string,
): Promise<EngineTemplate | ApiError | undefined> {
  return orRefusal(() => compute.findTemplate(code, region));
}

/**
 * Returns what the engine says about an order of `template` in `region` (by default, the catalog's default region).
 * Neither has been validated yet.
 */
export async function askOffer(
  engine: Engine & { catalog: { default_region: string } },
  { template, region = engine.catalog.default_region }: { template?: unknown; region?: unknown },
) {
  const hosts = await askHosts(engine);
  if (typeof template !== 'string' || typeof region !== 'string') return { hosts, template: undefined };
  return { hosts, template: await askTemplate(engine, template, region) };
}

async function orRefusal<T>(call: () => Promise<T>): Promise<T | ApiError> {
  try {
    return await askDriver(call);
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}
