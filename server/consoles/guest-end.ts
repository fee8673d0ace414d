import type { ComputeDriver } from '../compute/driver.ts';
import type { Database } from '../db/database.ts';
import { readConsoleAccess } from '../db/queries/vms/console-access.ts';
import { OPERATIONS } from '../domain/vms/states.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logging.ts';
import type { CloseReason } from './close-reasons.ts';
import { GUEST_LOOK_MS } from './limits.ts';
import type { Grant } from './session.ts';

interface GuestEndServices {
  clock: Clock;
  compute: ComputeDriver;
  db: Database;
  logger: Logger;
}

/**
 * Returns why a guest ended its stream, because a logout looks the same as a guest that powers off. Neither source is
 * sufficient on its own: the VM's state lags behind a power-off from the inside, and the engine does not know about a
 * stop in progress.
 */
export async function guestEnd(
  services: GuestEndServices,
  { kind, vm }: Pick<Grant, 'kind' | 'vm'>,
): Promise<CloseReason> {
  const { clock, db, compute, logger } = services;
  const answered = new AbortController();
  const isOff = async (): Promise<boolean> => {
    const { vms } = await readConsoleAccess(db, [vm.id], [], clock.now());
    const status = vms.get(vm.id);
    const { allowed } = OPERATIONS[kind === 'vnc' ? 'console' : 'ssh'];
    if (!status || !allowed.includes(status)) return true;
    return (await compute.inspect(vm.id))?.power === 'off';
  };
  // An engine that does not answer must not keep the session open.
  const unknown = clock.sleep(GUEST_LOOK_MS, answered.signal).then(
    () => false,
    () => false,
  );
  const off = await Promise.race([isOff(), unknown]).catch((error) => {
    logger.warn({ err: error, vm_id: vm.id }, 'guest not checked after its end');
    return false;
  });
  answered.abort();
  return off ? 'vm_off' : 'guest_ended';
}
