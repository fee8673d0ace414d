import type { Clock } from '../../../platform/clock.ts';
import { SSH_PORT, untilAnswered } from '../../inside/ssh.ts';
import type { HostNetwork } from '../network/network.ts';
import type { QemuProcess } from '../process/qemu-process.ts';
import type { Guest } from './guest.ts';
import type { GuestAccess } from './guest-access.ts';

/**
 * The sign that an image's guest is ready for its user: a TCP port answers, the guest agent has opened its channel, or
 * cloud-init has finished. With `none`, a guest is ready at once.
 */
export type Readiness = `port:${number}` | 'agent' | 'cloud-init' | 'none';

/** For images that do not define one. */
export const DEFAULT_READINESS: Readiness = 'port:22';

/**
 * Time to wait for readiness before a warning. A file system check on a busy host takes minutes. Without KVM, a full
 * distribution takes 40 s on an idle host, and ten times as long was observed on one with maximum overcommitment.
 */
export const READY_MS = { kvm: 300_000, tcg: 900_000 };

const PORT = /^port:([1-9][0-9]{0,4})$/;
const MAX_PORT = 65_535;
/** Written at the end of each boot, in memory, so it can never be from an earlier boot. */
const CLOUD_INIT_RESULT = '/run/cloud-init/result.json';
const LOOK_EVERY_MS = 2_000;

export function isReadiness(text: string): text is Readiness {
  if (text === 'agent' || text === 'cloud-init' || text === 'none') return true;
  const port = PORT.exec(text)?.[1];
  return port !== undefined && Number(port) <= MAX_PORT;
}

/** Returns what did not happen, as the beginning of a sentence. */
export function whatIsMissing(readiness: Readiness): string {
  if (readiness === 'agent') return 'its guest agent did not answer';
  if (readiness === 'cloud-init') return 'cloud-init did not report that it had finished';
  return `nothing answered on its TCP port ${readiness.slice('port:'.length)}`;
}

export interface ReadinessParts {
  clock: Clock;
  network: HostNetwork;
  inside: Pick<GuestAccess, 'hasFile'>;
}

/** Waits until the guest is ready. Returns false after `limitMs`, or immediately when `signal` aborts. */
export async function untilReady(
  { clock, network, inside }: ReadinessParts,
  { guest, run }: { guest: Guest; run: Pick<QemuProcess, 'agentHeard'> },
  limitMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const readiness = guest.record.readiness ?? DEFAULT_READINESS;
  if (readiness === 'none') return true;
  if (readiness === 'agent') {
    const over = clock.sleep(limitMs, signal).then(
      () => false,
      () => false,
    );
    return Promise.race([run.agentHeard.then(() => true), over]);
  }
  if (readiness === 'cloud-init') {
    const end = clock.now().getTime() + limitMs;
    while (!signal.aborted && clock.now().getTime() < end) {
      if (await inside.hasFile(guest, CLOUD_INIT_RESULT).catch(() => false)) return true;
      await clock.sleep(LOOK_EVERY_MS, signal).catch(() => {});
    }
    return false;
  }
  const port = Number(PORT.exec(readiness)![1]);
  const open = (tried: AbortSignal) => network.connect(guest.networkGuest, port, tried);
  // An SSH server sends a greeting; for other ports an accepted connection is enough.
  return untilAnswered(clock, { open, greets: port === SSH_PORT }, limitMs, signal);
}
