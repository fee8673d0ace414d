import { computeContract } from '../../../server/compute/contract.ts';
import { KEY } from '../../../server/compute/contract-shell.ts';
import { inCluster } from '../../support/incus/in-cluster.ts';
import { incus } from '../../support/incus/layout.ts';
import { stayAlive } from '../qemu/support.ts';
import { openIncus, tinyGuest } from './support.ts';

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
}
