import type { ComputeDriver } from '../driver.ts';

/** Driver methods about one guest, whose id is their first argument. */
const OF_ONE_GUEST = [
  'start',
  'shutdown',
  'powerOff',
  'reboot',
  'remove',
  'moveKind',
  'resize',
  'setPassword',
  'authorizeKey',
  'revokeKey',
  'createSnapshot',
  'deleteSnapshot',
  'restoreSnapshot',
  'finishRebuild',
  'undoRebuild',
  'applyNetwork',
  'inspect',
  'volumes',
  'openVnc',
  'openSsh',
] as const satisfies readonly (keyof ComputeDriver)[];

export type GuestMethods = Pick<ComputeDriver, (typeof OF_ONE_GUEST)[number]>;

/** Returns these methods, each forwarded to the driver that has the guest. */
export function guestMethods(driverOf: (id: string) => Promise<ComputeDriver>): GuestMethods {
  const methods = OF_ONE_GUEST.map((name) => {
    const ask = async (id: string, ...rest: unknown[]) => {
      const driver = await driverOf(id);
      return (driver[name] as (...given: unknown[]) => unknown).call(driver, id, ...rest);
    };
    return [name, ask];
  });
  return Object.fromEntries(methods);
}
