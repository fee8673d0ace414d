import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logging.ts';
import { FILES, type QemuSpec } from './arguments.ts';
import { run } from './command.ts';
import type { Launcher } from './direct-launcher.ts';
import { checkGuestDisk, createOverlay, SHARED_FILE_MODE } from './disk.ts';
import type { Guest } from './guest.ts';
import { askAgent } from './guest-agent.ts';
import { writeGuestFile } from './guest-file.ts';
import { earlierHardware, findOffer } from './hardware.ts';
import { connectMonitor, loadState, untilAgent } from './migration.ts';
import { until } from './timeouts.ts';
import { TEMPLATE } from './warm.ts';

/** In an image that can be a warm template: makes a guest of its own of a clone. */
const ADOPT = '/sbin/adopt';
/** A clone is a guest of its own within a second; a busy host may need its time. */
const WAKE_MS = 30_000;
/** Each question takes the clone's processor away from what is asked about. */
const ASK_EVERY_MS = 200;

export interface CloneParts {
  clock: Clock;
  launcher: Launcher;
  logger: Pick<Logger, 'warn'>;
}

/** What a guest's process is to be made of, connected by `netdev`. */
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

/** Starts the guest: as a clone of a warm template where it was made to be one, else from its disk. */
export async function startQemu(parts: CloneParts, guest: Guest, spec: QemuSpec): Promise<number> {
  const { launcher, clock, logger } = parts;
  const { clone, run } = guest.record;
  await checkGuestDisk(guest);
  if (!clone?.asleep) return launcher.launch(spec);
  try {
    const memory = { file: await memoryFor(guest, join(clone.of, TEMPLATE.memory)), shared: false };
    const pid = await launcher.launch({ ...spec, memory, incoming: true });
    await wake(clock, guest.directory, join(clone.of, TEMPLATE.state));
    // QEMU has it open, and its pages stay.
    await rm(join(guest.directory, FILES.memory), { force: true });
    // Its SSH server listens by now.
    await guest.save({ clone: { ...clone, asleep: false }, run: run && { ...run, booted: true } });
    return pid;
  } catch (error) {
    logger.warn({ err: error, vm_id: guest.id }, 'a clone did not wake, and boots instead');
    await discardClone(launcher, guest);
    return launcher.launch(spec);
  }
}

/**
 * The file that a clone's memory begins with. QEMU opens none that it may not write to: a guest with a user of its own,
 * who must not write to what all clones begin with, has a copy, of the pages that hold something.
 */
async function memoryFor({ directory, record }: Guest, template: string): Promise<string> {
  if (record.uid === undefined) return template;
  const copy = join(directory, FILES.memory);
  // Made first: the directory's list of who may open it is handed down as this mode allows, and kept by what writes to it.
  await writeGuestFile(copy, '', SHARED_FILE_MODE);
  await run('cp', '--reflink=auto', '--sparse=always', '--', template, copy);
  return copy;
}

/** What is left of a clone whose wakening was cut short has no identity and is not reachable: its next start boots it. */
export async function discardClone(launcher: Launcher, guest: Guest): Promise<void> {
  await launcher.kill({ ...guest.record, directory: guest.directory });
  await coolDown(guest);
}

/** Makes a guest that was to be a clone, and has never been started, boot as any other: from a disk of its image. */
export async function coolDown(guest: Guest): Promise<void> {
  const { clone, diskGb } = guest.record;
  if (!clone?.asleep) return;
  await rm(join(guest.directory, FILES.memory), { force: true });
  await rm(guest.file('disk'), { force: true });
  await createOverlay(guest.file('disk'), clone.image, diskGb);
  await guest.save({ clone: undefined, base: clone.image });
}

/** Wakes a clone and resolves when it has random numbers, a name, keys and an address that no other clone has. */
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
  await until(clock, WAKE_MS, `${ADOPT} did not end`, over, ASK_EVERY_MS);
}
