import type { ComputeDriver } from '../compute/driver.ts';

/** Methods that change a guest; all others only read. */
const CHANGES: ReadonlySet<PropertyKey> = new Set<keyof ComputeDriver>([
  'create',
  'start',
  'shutdown',
  'powerOff',
  'reboot',
  'remove',
  'resize',
  'setPassword',
  'authorizeKey',
  'createSnapshot',
  'deleteSnapshot',
  'restoreSnapshot',
  'rebuild',
  'finishRebuild',
  'undoRebuild',
  'applyNetwork',
  'move',
]);

/** The engine as one job may use it: `fence` is passed before each change of a guest, and stops it by throwing. */
export function fencedCompute(compute: ComputeDriver, fence: () => Promise<void>): ComputeDriver {
  return new Proxy(compute, {
    get(driver, name) {
      const value: unknown = Reflect.get(driver, name, driver);
      if (typeof value !== 'function') return value;
      if (!CHANGES.has(name)) return value.bind(driver);
      return async (...given: unknown[]) => {
        await fence();
        return value.apply(driver, given);
      };
    },
  });
}
