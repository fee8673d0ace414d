import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ComputeDriver } from '../server/compute/driver.ts';
import { GIGABYTE } from '../server/compute/qemu/disk/disk.ts';
import { findAccelerator } from '../server/compute/qemu/host.ts';
import type { Image } from '../server/compute/qemu/images/image.ts';
import { createUserNetwork } from '../server/compute/qemu/network/user-network.ts';
import { Cores } from '../server/compute/qemu/process/cores.ts';
import { createDirectLauncher } from '../server/compute/qemu/process/direct-launcher.ts';
import { createQemu } from '../server/compute/qemu/qemu.ts';
import { systemClock as clock } from '../server/platform/clock.ts';
import { newId } from '../server/platform/ids.ts';
import { asRoot } from './host-packages.ts';
import { limited, SetupError, step } from './step.ts';

const TUN = '/dev/net/tun';
/** The mode that udev sets. It gives no access to a network, because creating an interface needs a privilege. */
const TUN_MODE = '666';
const TRIAL = join(import.meta.dirname, 'try-network.ts');
/** Enough for a full Debian; our smaller images need less. */
const TRIAL_RAM_MB = 512;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Boots a guest from the image until it is ready, and removes it. Throws {@link SetupError} if that fails, and if the
 * set-up is interrupted, because the guest is a separate process that would keep running.
 */
export async function tryImage(image: Image): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'q-'));
  const driver = createQemu({
    clock,
    logger: { warn: () => {} },
    directory,
    images: {
      find: async (name) => (name === image.name ? image : undefined),
      list: async () => [image],
      unreadable: async () => [],
    },
    network: createUserNetwork(clock),
    launcher: createDirectLauncher(clock),
    accelerator: (await findAccelerator()).kind,
    // Unlimited, so that the trial runs whatever this machine has.
    capacity: { cpuOvercommit: 4, memoryMb: Infinity, diskGb: Infinity },
    zones: null,
    cores: new Cores(),
    nameservers: [],
  });
  const id = newId('vm', clock);
  // The driver's own timers do not keep the process alive.
  const awake = setInterval(() => {}, 60_000);
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort(new Error('interrupted'));
  for (const signal of SIGNALS) process.on(signal, interrupt);
  try {
    await driver.create({
      id,
      hostId: 'here',
      hostname: 'trial',
      template: image.name,
      region: 'here',
      mac: '52:54:00:00:00:01',
      addresses: [{ address: '192.0.2.10', family: 4, prefix: 24, gateway: '192.0.2.1' }],
      authorizedKeys: [],
      vcpu: 1,
      ramMb: TRIAL_RAM_MB,
      diskGb: Math.ceil(image.virtualBytes / GIGABYTE),
    });
    interrupted.signal.throwIfAborted();
    const ready = untilReady(driver, interrupted.signal);
    await driver.start(id, interrupted.signal);
    await ready;
  } catch (error) {
    throw new SetupError(`a guest of ${image.name} does not start: ${(error as Error).message}`);
  } finally {
    await driver.remove(id);
    await driver.close();
    clearInterval(awake);
    for (const signal of SIGNALS) process.off(signal, interrupt);
    await rm(directory, { recursive: true });
  }
}

/** Resolves once the driver's only guest is ready; rejects if something else happens to it, or when `signal` aborts. */
function untilReady(driver: ComputeDriver, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  driver.watch(({ type, message }) => {
    if (type === 'guest.ready') resolve();
    else if (type !== 'guest.rebooted') reject(new Error(message));
  });
  signal.addEventListener('abort', () => reject(signal.reason));
  // It may reject before it is awaited.
  promise.catch(() => {});
  return promise;
}

/**
 * Tries the tenants' network in a separate namespace, and reports if it does not work: guests then only have the
 * network for development. Makes the device for interfaces accessible to the guests' user if nothing else does.
 */
export async function tryRoutedNetwork(): Promise<void> {
  const device = await stat(TUN).catch(() => undefined);
  // The kernel creates it accessible to root only; any other mode was set on purpose.
  if (device && (device.mode & 0o077) === 0) {
    await step(`chmod ${TUN_MODE} ${TUN}: there is no udev here, so repeat it after the next boot`, () =>
      asRoot('chmod', TUN_MODE, TUN),
    );
  }
  try {
    await step('try the routed network', () => asRoot('unshare', '--net', process.execPath, TRIAL));
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    limited(`no routed network, which tenants need: ${error.message.trim().split('\n').at(-1)}`);
  }
}
