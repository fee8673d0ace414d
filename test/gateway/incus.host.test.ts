import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type TestContext, test } from 'node:test';
import type { NetworkPolicy, PortForwardEntry } from '../../server/compute/network-policy.ts';
import { NftablesGateway } from '../../server/gateway/nftables/nftables.ts';
import { systemClock } from '../../server/platform/clock.ts';
import { openIncus, tinyGuest } from '../compute/incus/support.ts';
import { Namespace, run } from '../compute/routed/support/namespace.ts';
import { defer } from '../support/cleanup.ts';
import { inCluster } from '../support/incus/in-cluster.ts';
import { CLIENT, PUBLIC, whyNot } from './support/region.ts';

const cluster = await inCluster(import.meta.filename);

/** Returns the greeting at a port; undefined if nothing answers. */
async function greeting(t: TestContext, from: Namespace, port: number): Promise<string | undefined> {
  const stream = from.dial(t, PUBLIC, port);
  const [said] = await Promise.race([once(stream, 'data'), once(stream, 'end')]);
  stream.destroy();
  return said?.toString();
}

// Runs in the network of the cluster's router, which is the gateway.
if (cluster) {
  test('incus: a forwarded port leads to a guest of a cluster, and to it again when it has moved', {
    skip: whyNot(),
  }, async (t) => {
    const client = await Namespace.make(t);
    await run('ip', ...`link add out0 type veth peer name c0 netns ${client.name}`.split(' '));
    for (const line of [
      'addr add 198.51.100.1/24 dev out0',
      `addr add ${PUBLIC}/32 dev out0`,
      'link set out0 up',
    ])
      await run('ip', ...line.split(' '));
    await client.ip(`addr add ${CLIENT}/24 dev c0`, 'link set c0 up', `route add ${PUBLIC} via 198.51.100.1`);
    await writeFile('/proc/sys/net/ipv4/ip_forward', '1');
    const driver = await openIncus(cluster);
    defer(t, () => driver.close());
    const gateway = new NftablesGateway({
      publicPorts: [{ address: PUBLIC, ports: '20000-59999' }],
      guestPrefixes: ['203.0.113.0/24'],
      clock: systemClock,
    });
    defer(t, () => gateway.close());
    const report = await gateway.probe();
    assert.ok(report.ok, report.summary);

    const [here, there] = await driver.hosts();
    const spec = tinyGuest({ hostId: here!.id });
    await driver.create(spec);
    // The rule names the client's own address, which the guest has to see.
    const policy: NetworkPolicy = {
      defaultIn: 'drop',
      defaultOut: 'accept',
      firewall: [
        { direction: 'in', action: 'accept', protocol: 'tcp', ports: '22', cidrs: [`${CLIENT}/32`] },
      ],
      portForwards: [],
    };
    await driver.applyNetwork(spec.id, policy);
    await driver.start(spec.id);
    const ssh: PortForwardEntry = {
      protocol: 'tcp',
      publicIp: PUBLIC,
      externalPort: 20_022,
      internalIp: spec.addresses[0]!.address,
      internalPort: 22,
    };
    await gateway.applyForwards([ssh]);
    const reached = async () => {
      while (!(await greeting(t, client, 20_022))?.startsWith('SSH-2.0-'));
    };
    await reached();
    assert.equal(await greeting(t, client, 20_023), undefined);

    await driver.powerOff(spec.id);
    await driver.move(spec.id, { hostId: there!.id }, 'cold');
    await driver.start(spec.id);
    await reached();
    const [seen] = (await driver.list()).filter(({ id }) => id === spec.id);
    assert.equal(seen!.hostId, there!.id);

    await gateway.applyForwards([]);
    assert.equal(await greeting(t, client, 20_022), undefined);
    await driver.powerOff(spec.id);
    await driver.remove(spec.id);
  });
}
