import { ApiError, capacityUnavailable, computeUnavailable } from '../platform/errors.ts';
import {
  CapacityError,
  type ComputeDriver,
  ComputeUnavailableError,
  type EngineTemplate,
  type HostInfo,
} from './driver.ts';

// Questions of a request to the compute driver. A driver may be slow: none of these is asked inside a transaction.

interface Engine {
  compute: ComputeDriver;
}

/** Runs a call to the compute driver within a request; its refusals become 503, before anything is committed. */
export async function askDriver<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof CapacityError) throw capacityUnavailable(error.message);
    if (error instanceof ComputeUnavailableError) throw computeUnavailable(error.message);
    throw error;
  }
}

/** The engine's hosts with what they have, or the refusal to answer with where it says nothing. */
export function askHosts({ compute }: Engine): Promise<HostInfo[] | ApiError> {
  return orRefusal(() => compute.hosts());
}

/** What guests of a template would be made of, in a region or in any; undefined where there is nothing. */
export function askTemplate(
  { compute }: Engine,
  code: string,
  region?: string,
): Promise<EngineTemplate | ApiError | undefined> {
  return orRefusal(() => compute.findTemplate(code, region));
}

/** What the engine says to an order of `template` in `region`, the catalog's default when absent; neither is validated yet. */
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
