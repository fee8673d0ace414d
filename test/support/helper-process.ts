import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { skipUnlessRequired } from './tiny-image.ts';

const FOLDERS = ['/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** Returns why tests with real packets that need these programs cannot run here, or false. */
export function whyNoPackets(programs: readonly string[]): string | false {
  if (process.getuid?.() !== 0) return 'needs root for network namespaces';
  const missing = programs.filter((program) => !FOLDERS.some((folder) => existsSync(join(folder, program))));
  return missing.length > 0 && skipUnlessRequired(`needs ${missing.join(', ')}`);
}

/** Stands in for the user of a helper's unit. */
export const HELPER_USER = 'daemon';
/** The capabilities that the units of the edge's and the gateway's helper leave to them. */
const CAPABILITIES = '-all,+net_admin';
/** Options of `setpriv` to start a helper as its unit does. */
export const PRIVILEGES = [
  `--reuid=${HELPER_USER}`,
  `--regid=${HELPER_USER}`,
  '--clear-groups',
  ...['inh-caps', 'ambient-caps', 'bounding-set'].map((set) => `--${set}=${CAPABILITIES}`),
  '--no-new-privs',
];
