import { join } from 'node:path';
import { FILES, type QemuSpec } from './arguments.ts';
import { runWithin } from './command.ts';

/** What `qemu-img` is asked to do with the disk of a guest that is off. */
export type ImageCommand =
  | { do: 'info' | 'mend' }
  | { do: 'grow'; bytes: number }
  | { do: 'take' | 'drop' | 'revert'; snapshot: string };

/** Whose disk it is. */
export type DiskOwner = Pick<QemuSpec, 'id' | 'uid' | 'directory'>;

export const QEMU_IMG = 'qemu-img';
/** To look takes milliseconds… */
const INFO_MS = 30_000;
/** …and a large disk is mended, or a snapshot deleted, in minutes. Less than the helper has for anything. */
export const CHANGE_MS = 150_000;

export const imageLimitMs = (command: ImageCommand) => (command.do === 'info' ? INFO_MS : CHANGE_MS);

/**
 * Arguments of `qemu-img`. The disk is qcow2 in a plain file whatever its first bytes say, and the file that it stands on is
 * not opened: none of these commands reads it.
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

/** Does it as the service's own user; what was printed. */
export function runImage({ directory }: DiskOwner, command: ImageCommand): Promise<string> {
  return runWithin(imageLimitMs(command), QEMU_IMG, ...imageArguments(directory, command));
}
