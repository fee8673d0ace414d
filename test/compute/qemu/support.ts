import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { ComputeDriver, GuestSpec } from '../../../server/compute/driver.ts';
import type { Image } from '../../../server/compute/qemu/images/image.ts';
import { createUserNetwork } from '../../../server/compute/qemu/network/user-network.ts';
import type { QemuOptions } from '../../../server/compute/qemu/options.ts';
import { Cores } from '../../../server/compute/qemu/process/cores.ts';
import { createDirectLauncher } from '../../../server/compute/qemu/process/direct-launcher.ts';
import { Monitor } from '../../../server/compute/qemu/process/qmp.ts';
import { createQemu } from '../../../server/compute/qemu/qemu.ts';
import { type Clock, systemClock } from '../../../server/platform/clock.ts';
import { defer } from '../../support/cleanup.ts';
import { guestSpec } from '../support.ts';

/** A small guest of the tiny image. Its kernel and a shell need a third of this memory. */
export function tinySpec(overrides: Partial<GuestSpec> = {}): GuestSpec {
  return guestSpec('web', { template: 'tiny', vcpu: 1, ramMb: 192, diskGb: 1, ...overrides });
}

/** Creates a directory for guests, with a path short enough for sockets in it. The caller deletes it. */
export function guestsDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'q-'));
}

/** Opens a driver for the guests in `directory`, without KVM, so that it behaves the same on every machine. */
export function openQemu(directory: string, image: Image, options: Partial<QemuOptions> = {}): ComputeDriver {
  return createQemu({
    clock: systemClock,
    logger: { warn: console.warn },
    directory,
    images: {
      find: async (name) => (name === image.name ? image : undefined),
      list: async () => [image],
      unreadable: async () => [],
    },
    network: createUserNetwork(systemClock),
    launcher: createDirectLauncher(systemClock),
    accelerator: 'tcg',
    // Fixed capacity: the machine that runs the tests may have any.
    capacity: { cpuOvercommit: 4, memoryMb: 16_384, diskGb: 1_000 },
    zones: null,
    cores: new Cores(),
    nameservers: ['192.0.2.3'],
    ...options,
  });
}

/** The pause between two attempts to reach a starting QEMU. */
const CONNECT_EVERY_MS = 5;

/**
 * Connects to the monitor of a QEMU that was just started: its socket appears a moment before anything listens on it.
 */
export async function connectMonitor(socket: string, clock: Clock): Promise<Monitor> {
  for (;;) {
    try {
      return await Monitor.connect(socket, clock, () => {});
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (!['ENOENT', 'ECONNREFUSED'].includes(code)) throw error;
      await systemClock.sleep(CONNECT_EVERY_MS);
    }
  }
}

const LOOK_EVERY_MS = 50;

/** Starts a guest and waits until it has booted. */
export async function boot(driver: ComputeDriver, id: string): Promise<void> {
  await driver.start(id);
  await untilUp(driver, id);
}

/** Waits until a running guest has booted. */
export async function untilUp(driver: ComputeDriver, id: string): Promise<void> {
  while ((await driver.inspect(id))?.power === 'booting')
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
}

/** Keeps the process alive: the clock's timers do not, and between two of them nothing else may either. */
export function stayAlive(): () => void {
  const timer = setInterval(() => {}, 60_000);
  return () => clearInterval(timer);
}

/** Opens a driver for one test; whatever it created is removed when the test ends. */
export function qemuFor(t: TestContext, image: Image, options: Partial<QemuOptions> = {}) {
  const directory = guestsDirectory();
  const drivers: ComputeDriver[] = [];
  const rest = stayAlive();
  defer(t, async () => {
    for (const driver of drivers) await driver.close();
    const last = openQemu(directory, image);
    for (const { id } of await last.list()) await last.remove(id);
    await last.close();
    await rm(directory, { recursive: true });
    rest();
  });
  const open = (more: Partial<QemuOptions> = {}) => {
    const driver = openQemu(directory, image, { ...options, ...more });
    drivers.push(driver);
    return driver;
  };
  return { directory, driver: open(), open };
}
