import { join } from 'node:path';
import { FILES, type QemuSpec } from '../process/arguments.ts';
import { runWithin } from '../process/command.ts';

/** A `qemu-img` command for the disk of a guest that is off. */
export type ImageCommand =
  | { do: 'info' | 'mend' }
  | { do: 'grow'; bytes: number }
  | { do: 'take' | 'drop' | 'revert'; snapshot: string };

export type DiskOwner = Pick<QemuSpec, 'id' | 'uid' | 'directory'>;

export const QEMU_IMG = 'qemu-img';
/** Reading takes milliseconds… */
const INFO_MS = 30_000;
/** …but repairing a large disk or deleting a snapshot takes minutes. Must be less than the helper's own time limit. */
export const CHANGE_MS = 150_000;

export const imageLimitMs = (command: ImageCommand) => (command.do === 'info' ? INFO_MS : CHANGE_MS);

/**
 * Returns the arguments of `qemu-img`. The disk is always opened as qcow2 in a plain file, whatever its first bytes
 * are. Its backing file is not opened, because none of these commands reads it.
 */
export function imageArguments(directory: string, command: ImageCommand): string[] {
  const file = { driver: 'file', filename: join(directory, FILES.disk) };
  const disk = `json:${JSON.stringify({ driver: 'qcow2', backing: null, file })}`;
  switch (command.do) {
    case 'info':
      return ['info', '--output=json', disk];
    case 'mend':
      return ['check', '-q', '-r', 'all', disk];
    case 'grow':
      return ['resize', '-q', disk, `${command.bytes}`];
    case 'take':
      return ['snapshot', '-q', '-c', command.snapshot, disk];
    case 'drop':
      return ['snapshot', '-q', '-d', command.snapshot, disk];
    case 'revert':
      return ['snapshot', '-q', '-a', command.snapshot, disk];
  }
}

/** Runs the command as the service's own user and returns the output. */
export function runImage({ directory }: DiskOwner, command: ImageCommand): Promise<string> {
  return runWithin(imageLimitMs(command), QEMU_IMG, ...imageArguments(directory, command));
}
