import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The directories in which Debian installs administration programs; the user's PATH may lack them. */
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
