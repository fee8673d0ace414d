import type { Clock } from '../../platform/clock.ts';
import { SSH_PORT, untilAnswered } from '../inside/ssh.ts';
import type { Guest } from './guest.ts';
import type { GuestAccess } from './guest-access.ts';
import type { HostNetwork } from './network.ts';
import type { QemuProcess } from './qemu-process.ts';

/**
 * By what it is known that a guest of an image is ready for its user: something answers on a TCP port, the guest agent
 * has opened its channel, cloud-init has finished, or nothing, which is at once.
 */
export type Readiness = `port:${number}` | 'agent' | 'cloud-init' | 'none';

/** Of an image that says nothing of itself. */
export const DEFAULT_READINESS: Readiness = 'port:22';

/**
 * How long readiness is waited for before a hint is given. A file system check on a busy host takes minutes. Without KVM
 * a full distribution takes 40 s on an idle host, and has been seen to take ten times as long on one that was as
 * overbooked as it may be.
 */
export const READY_MS = { kvm: 300_000, tcg: 900_000 };

const PORT = /^port:([1-9][0-9]{0,4})$/;
const MAX_PORT = 65_535;
/** Written at the end of each boot, in memory: that of an earlier boot is gone. */
const CLOUD_INIT_RESULT = '/run/cloud-init/result.json';
const LOOK_EVERY_MS = 2_000;

/** Whether `text` is one of the ways to tell. */
export function isReadiness(text: string): text is Readiness {
  if (text === 'agent' || text === 'cloud-init' || text === 'none') return true;
  const port = PORT.exec(text)?.[1];
  return port !== undefined && Number(port) <= MAX_PORT;
}

/** What did not come about, as a sentence begins. */
export function whatIsMissing(readiness: Readiness): string {
  if (readiness === 'agent') return 'its guest agent did not answer';
  if (readiness === 'cloud-init') return 'cloud-init was not seen to finish';
  return `nothing answered on its TCP port ${readiness.slice('port:'.length)}`;
}

export interface ReadinessParts {
  clock: Clock;
  network: HostNetwork;
  inside: Pick<GuestAccess, 'hasFile'>;
}

/** Waits until the guest is ready: false after `limitMs`, or at once when `signal` aborts. */
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
  // An SSH server says who it is; of another it is enough that it takes the connection.
  return untilAnswered(clock, { open, greets: port === SSH_PORT }, limitMs, signal);
}
