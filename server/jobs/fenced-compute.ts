import type { ComputeDriver } from '../compute/driver.ts';

type Method = {
  [K in keyof ComputeDriver]-?: NonNullable<ComputeDriver[K]> extends (...given: never[]) => unknown
    ? K
    : never;
}[keyof ComputeDriver];

/**
 * True for a method that changes a guest, false if it only reads. Every method is listed, so that a new one does not
 * compile until this is decided: a method that changes guests without the fence could be called by a node that has lost
 * its jobs.
 */
const CHANGES: Readonly<Record<Method, boolean>> = {
  probe: false,
  place: false,
  capabilities: false,
  hosts: false,
  findTemplate: false,
  create: true,
  start: true,
  shutdown: true,
  powerOff: true,
  reboot: true,
  remove: true,
  resize: true,
  move: true,
  moveKind: false,
  setPassword: true,
  authorizeKey: true,
  revokeKey: true,

  createSnapshot: true,
  deleteSnapshot: true,
  restoreSnapshot: true,
  rebuild: true,
  finishRebuild: true,
  undoRebuild: true,
  applyNetwork: true,
  inspect: false,
  list: false,
  sample: false,
  volumes: false,
  openVnc: false,
  openSsh: false,
  watch: false,
  check: false,
  close: false,
};

/**
 * Returns the engine for use by one job: calls `fence` before each change of a guest, and makes no change if it throws.
 */
export function fencedCompute(compute: ComputeDriver, fence: () => Promise<void>): ComputeDriver {
  return new Proxy(compute, {
    get(driver, name) {
      const value: unknown = Reflect.get(driver, name, driver);
      if (typeof value !== 'function') return value;
      if (!CHANGES[name as Method]) return value.bind(driver);
      return async (...given: unknown[]) => {
        await fence();
        return value.apply(driver, given);
      };
    },
  });
}
