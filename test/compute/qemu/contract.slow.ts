import { rm } from 'node:fs/promises';
import { test } from 'node:test';
import { computeContract } from '../../../server/compute/contract.ts';
import { freshKeyPair } from '../../../server/platform/ssh-key-pair.ts';
import { skipWithoutTinyImage, tinyImage } from '../../support/tiny-image.ts';
import { inGuest } from './shell.ts';
import { guestsDirectory, openQemu, stayAlive, tinySpec } from './support.ts';

const image = await tinyImage();
const KEY = freshKeyPair('test');
/** Takes the power button away from the guest's kernel, whoever listens to it. */
const DEAFEN = 'echo LNXPWRBN:00 > /sys/bus/acpi/drivers/button/unbind';

if (!image) {
  test('qemu: the contract', { skip: await skipWithoutTinyImage() }, () => {});
} else {
  computeContract('qemu', {
    shutdownSeconds: 60,
    testTimeoutMs: 300_000,
    async open() {
      const rest = stayAlive();
      const directory = guestsDirectory();
      let driver = openQemu(directory, image);
      return {
        driver,
        spec: () => tinySpec({ authorizedKeys: [KEY.public] }),
        user: image.user,
        settle: (work) => work,
        idle: () => new Promise((resolve) => setTimeout(resolve, 500)),
        async deafen(id) {
          await inGuest(driver, id, { privateKey: KEY.private }, DEAFEN);
        },
        async reopen() {
          await driver.close();
          driver = openQemu(directory, image);
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
