import type { ComputeDriver, DriverCapabilities } from '../../server/compute/driver.ts';

/** Does something while an engine cannot do what it can. */
export async function withCapabilities<T>(
  compute: ComputeDriver,
  change: Partial<DriverCapabilities>,
  work: () => Promise<T>,
): Promise<T> {
  const able = compute.capabilities();
  compute.capabilities = () => ({ ...able, ...change });
  try {
    return await work();
  } finally {
    compute.capabilities = () => able;
  }
}
