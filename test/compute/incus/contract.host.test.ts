// Runs alongside the others: it waits for guests and daemons two thirds of the time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { computeContract } from '../../../server/compute/contract.ts';
import { KEY } from '../../../server/compute/contract-shell.ts';
import type { FirewallEntry, NetworkPolicy } from '../../../server/compute/driver.ts';
import { defer } from '../../support/cleanup.ts';
import { inCluster } from '../../support/incus/in-cluster.ts';
import { incus } from '../../support/incus/layout.ts';
import { stayAlive } from '../qemu/support.ts';
import { openIncus, tinyGuest } from './support.ts';

/** Rounds of a race; if it can be lost, every other round loses it. */
const ROUNDS = 8;

const cluster = await inCluster(import.meta.filename);

if (cluster) {
  computeContract('incus', {
    shutdownSeconds: 60,
    testTimeoutMs: 300_000,
    async open() {
      const rest = stayAlive();
      const options = { opsLogin: async () => [KEY.private] };
      let driver = await openIncus(cluster, options);
      const [host] = await driver.hosts();
      const spec = () => tinyGuest({ authorizedKeys: [KEY.public], hostId: host!.id });
      return {
        driver,
        spec,
        unready: () => ({ ...spec(), template: 'tiny-unready' }),
        user: 'root',
        settle: (work) => work,
        idle: () => new Promise((resolve) => setTimeout(resolve, 200)),
        async deafen(id) {
          await incus(cluster, 'exec', id.replace('_', '-'), 'touch', '/run/deaf');
        },
        async reopen() {
          await driver.close();
          driver = await openIncus(cluster, options);
          return driver;
        },
        async close() {
          await driver.close();
          rest();
        },
      };
    },
  });

  test('incus: rules that change while a guest goes off leave nothing that its next start meets', async (t) => {
    const driver = await openIncus(cluster);
    defer(t, () => driver.close());
    const [host] = await driver.hosts();
    const spec = tinyGuest({ hostId: host!.id });
    await driver.create(spec);
    await driver.start(spec.id);
    for (let round = 0; round < ROUNDS; round++) {
      while ((await driver.inspect(spec.id))?.power !== 'running') await sleep(50);
      const firewall: FirewallEntry[] = [
        { direction: 'in', action: 'drop', protocol: 'tcp', ports: `${1000 + round}`, cidrs: ['0.0.0.0/0'] },
      ];
      const policy: NetworkPolicy = { defaultIn: 'accept', defaultOut: 'accept', firewall, portForwards: [] };
      const goesOff = driver.shutdown(spec.id, 60);
      // While the guest's system shuts down, which takes a moment; each round hits another point of the shutdown.
      await sleep(round * 60);
      await Promise.all([goesOff, driver.applyNetwork(spec.id, policy)]);
      // Rejects if the guest's addresses cannot be announced.
      await assert.doesNotReject(driver.start(spec.id));
    }
    await driver.powerOff(spec.id);
    await driver.remove(spec.id);
  });
}
