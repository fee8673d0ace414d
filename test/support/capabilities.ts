import type { ComputeDriver, DriverCapabilities } from '../../server/compute/driver.ts';

/** Runs `work` while an engine reports changed capabilities. */
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
