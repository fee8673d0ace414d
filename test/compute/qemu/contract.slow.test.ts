// Needs: QEMU.
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { computeContract } from '../../../server/compute/contract.ts';
import type { Image } from '../../../server/compute/qemu/images/image.ts';
import { freshKeyPair } from '../../../server/platform/ssh-key-pair.ts';
import { skipWithoutTinyImage, tinyImage } from '../../support/tiny-image.ts';
import { inGuest } from './shell.ts';
import { guestsDirectory, openQemu, stayAlive, tinySpec } from './support.ts';

const image = await tinyImage();
const KEY = freshKeyPair('test');
/** An image whose guests never become ready. */
const UNREADY = 'tiny-unready';
/** Unbinds the power button's driver in the guest, so that pressing it has no effect. */
const DEAFEN = 'echo LNXPWRBN:00 > /sys/bus/acpi/drivers/button/unbind';

if (!image) {
  test('qemu: the contract', { skip: await skipWithoutTinyImage() }, () => {});
} else {
  // Nothing listens on that port.
  const unready: Image = { ...image, name: UNREADY, readiness: 'port:2222', readyWithinSeconds: 2 };
  const images = {
    find: async (name: string) => [image, unready].find((each) => each.name === name),
    list: async () => [image, unready],
    unreadable: async () => [],
  };
  computeContract('qemu', {
    shutdownSeconds: 60,
    testTimeoutMs: 300_000,
    async open() {
      const rest = stayAlive();
      const directory = guestsDirectory();
      let driver = openQemu(directory, image, { images });
      return {
        driver,
        spec: () => tinySpec({ authorizedKeys: [KEY.public] }),
        unready: () => tinySpec({ template: UNREADY }),
        user: image.user,
        settle: (work) => work,
        idle: () => new Promise((resolve) => setTimeout(resolve, 500)),
        async deafen(id) {
          await inGuest(driver, id, { privateKey: KEY.private }, DEAFEN);
        },
        async hide(id) {
          const pid = Number(await readFile(join(directory, id, 'qemu.pid'), 'utf8'));
          process.kill(pid, 'SIGSTOP');
          return async () => {
            // The guest may have been powered off in the meantime.
            if (existsSync(`/proc/${pid}`)) process.kill(pid, 'SIGCONT');
          };
        },
        async reopen() {
          await driver.close();
          driver = openQemu(directory, image, { images });
          return driver;
        },
        async close() {
          await rm(directory, { recursive: true });
          rest();
        },
      };
    },
  });
}
