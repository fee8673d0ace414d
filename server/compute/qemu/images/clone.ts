import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/logging.ts';
import { checkGuestDisk, createOverlay, SHARED_FILE_MODE } from '../disk/disk.ts';
import type { Guest } from '../guest/guest.ts';
import { askAgent } from '../guest/guest-agent.ts';
import { writeGuestFile } from '../guest/guest-file.ts';
import { connectMonitor, loadState, untilAgent } from '../guest/migration.ts';
import { FILES, type QemuSpec } from '../process/arguments.ts';
import { run } from '../process/command.ts';
import type { Launcher } from '../process/direct-launcher.ts';
import { earlierHardware, findOffer } from '../process/hardware.ts';
import { until } from '../process/timeouts.ts';
import { TEMPLATE } from './warm.ts';

/** Script in images that can be warm templates. It turns a clone into an independent guest. */
const ADOPT = '/sbin/adopt';
/** A clone usually becomes an independent guest within a second; a busy host may need longer. */
const WAKE_MS = 30_000;
/** Each question takes processor time from the work that it asks about. */
const ASK_EVERY_MS = 200;

export interface CloneParts {
  clock: Clock;
  launcher: Launcher;
  logger: Pick<Logger, 'warn'>;
}

export async function qemuSpecOf(
  guest: Guest,
  accelerator: QemuSpec['accelerator'],
  netdev: string,
): Promise<QemuSpec> {
  const { id, uuid, uid, vcpu, ramMb, disk, mac, directBoot } = guest.record;
  const offer = await findOffer(accelerator);
  const { hardware = earlierHardware(offer, accelerator) } = guest.record;
  const { directory } = guest;
  const own = { id, uuid, uid, directory, vcpu, ramMb, disk, mac, directBoot };
  return { ...own, accelerator, hardware, aio: offer.aio, netdev };
}

/** Starts the guest as a clone of a warm template if it was created as one, otherwise from its disk. */
export async function startQemu(parts: CloneParts, guest: Guest, spec: QemuSpec): Promise<number> {
  const { launcher, clock, logger } = parts;
  const { clone, run } = guest.record;
  await checkGuestDisk(guest);
  if (!clone?.asleep) return launcher.launch(spec);
  try {
    const memory = { file: await memoryFor(guest, join(clone.of, TEMPLATE.memory)), shared: false };
    const pid = await launcher.launch({ ...spec, memory, incoming: true });
    await wake(clock, guest.directory, join(clone.of, TEMPLATE.state));
    // QEMU holds the file open, so its pages remain.
    await rm(join(guest.directory, FILES.memory), { force: true });
    // Its SSH server is already listening.
    await guest.save({ clone: { ...clone, asleep: false }, run: run && { ...run, booted: true } });
    return pid;
  } catch (error) {
    logger.warn({ err: error, vm_id: guest.id }, 'a clone did not resume and boots instead');
    await discardClone(launcher, guest);
    return launcher.launch(spec);
  }
}

/**
 * Returns the file with a clone's initial memory. QEMU opens only files that it may write to. A guest with its own user
 * must not write to the memory that all clones start from, so it gets a sparse copy.
 */
async function memoryFor({ directory, record }: Guest, template: string): Promise<string> {
  if (record.uid === undefined) return template;
  const copy = join(directory, FILES.memory);
  // Created first: the access list inherited from the directory is limited by this mode, and later writes keep it.
  await writeGuestFile(copy, '', SHARED_FILE_MODE);
  await run('cp', '--reflink=auto', '--sparse=always', '--', template, copy);
  return copy;
}

/** Ends a clone whose waking was interrupted. It has no identity and cannot be reached; its next start boots it. */
export async function discardClone(launcher: Launcher, guest: Guest): Promise<void> {
  await launcher.kill({ ...guest.record, directory: guest.directory });
  await coolDown(guest);
}

/** Makes a guest that was created as a clone and never started boot normally, from a disk of its image. */
export async function coolDown(guest: Guest): Promise<void> {
  const { clone, diskGb } = guest.record;
  if (!clone?.asleep) return;
  await rm(join(guest.directory, FILES.memory), { force: true });
  await rm(guest.file('disk'), { force: true });
  await createOverlay(guest.file('disk'), clone.image, diskGb);
  await guest.save({ clone: undefined, base: clone.image });
}

/** Wakes a clone. Resolves when it has random numbers, a name, keys and an address that no other clone has. */
async function wake(clock: Clock, directory: string, state: string): Promise<void> {
  const monitor = await connectMonitor(clock, directory);
  try {
    await loadState(clock, monitor, directory, state);
    await untilAgent(clock, monitor, WAKE_MS);
  } finally {
    monitor.close();
  }
  const ask = (command: string, args: object) =>
    askAgent(clock, join(directory, FILES.agent), command, { ...args }) as Promise<never>;
  const seconds = `${Math.round(clock.now().getTime() / 1_000)}`;
  const { pid }: { pid: number } = await ask('guest-exec', { path: ADOPT, arg: [seconds] });
  const over = async () => {
    const status: { exited: boolean; exitcode?: number } = await ask('guest-exec-status', { pid });
    if (status.exited && status.exitcode !== 0) throw new Error(`${ADOPT} failed: ${status.exitcode}`);
    return status.exited;
  };
  await until(clock, WAKE_MS, `${ADOPT} did not finish`, over, ASK_EVERY_MS);
}
