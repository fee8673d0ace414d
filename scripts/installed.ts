import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where Debian installs administration programs, regardless of the user's PATH. */
const SYSTEM = '/usr/sbin:/sbin';

/** Returns whether a program is installed, including those for administrators. */
export function isInstalled(program: string): boolean {
  return `${process.env.PATH}${delimiter}${SYSTEM}`.split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
