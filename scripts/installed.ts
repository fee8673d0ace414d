import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where Debian keeps administration programs, whatever the user's PATH. */
const SYSTEM = '/usr/sbin:/sbin';

/** Whether a program is there to be run, also one that is for administrators only. */
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
