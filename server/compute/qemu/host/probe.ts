import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ComputeUnavailableError } from '../../driver.ts';
import { findAccelerator } from '../host.ts';
import { QEMU } from '../process/direct-launcher.ts';
import { ENVIRONMENT, type LaunchOptions, setprivArguments } from './privileged-launcher.ts';

type User = LaunchOptions['user'];

/**
 * Tries, as a guest user, what every guest's start needs: opens the devices, runs QEMU, and enters the directory of
 * guests. Throws {@link ComputeUnavailableError} with the first failure and its remedy.
 */
export async function probeGuests(user: User, pool: string): Promise<void> {
  await tryDevices(user);
  await tryAs(user, 'exec "$1" --version', QEMU, `${QEMU} does not run; npm run host:setup installs it`);
  await tryAs(user, 'cd -- "$1"', pool, `${pool} cannot be entered; see deploy/systemd/vauban.tmpfiles`);
}

/** Opens the guests' devices as a guest user, as {@link probeGuests} does. */
export async function tryDevices(user: User): Promise<void> {
  const { kind } = await findAccelerator();
  for (const device of ['/dev/net/tun', ...(kind === 'kvm' ? ['/dev/kvm'] : [])]) {
    const remedy = device === '/dev/kvm' ? 'add the user to its group' : 'npm run host:setup opens it';
    await tryAs(user, ': <>"$1"', device, `${device} cannot be opened; ${remedy}`);
  }
}

async function tryAs(user: User, line: string, argument: string, failure: string): Promise<void> {
  const command = [...setprivArguments(user.uid, user), '--', 'sh', '-c', line, 'sh', argument];
  try {
    await promisify(execFile)('setpriv', command, { env: ENVIRONMENT, cwd: '/' });
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string };
    const words = stderr.trim().split('\n').at(-1) || message;
    throw new ComputeUnavailableError(`as a user that runs guests, ${failure} (${words})`);
  }
}
