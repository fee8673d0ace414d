// Runs on both engines: notifications differ.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newCustomer } from '../chaos/support/customer.ts';
import { startService } from '../support/service.ts';
import { echo, REFUSED, Region, whyNot } from './support/region.ts';

test('a customer forwards a port of a running service, which outlives its table, its helper and the service', {
  skip: whyNot(),
}, async (t) => {
  const region = await Region.open(t);
  const gateway = region.gateways[0]!;
  const env = {
    VAUBAN_GATEWAY: 'nftables',
    VAUBAN_GATEWAY_HELPER: gateway.socket,
    VAUBAN_SIMULATOR_BOOT_SECONDS: '0',
  };
  const service = await startService(t, { env });
  const customer = await newCustomer(service);
  const { vm } = await customer.ask('POST', '/v1/vm', {
    plan: 's1',
    template: 'debian-12',
    hostname: 'web',
  });
  const { ipv4 } = await customer.settled(vm.id);
  const guest = await region.guest(t, ipv4);
  for (const port of [22, 80]) await guest.space.ask({ do: 'listenTcp', port });
  const forwards = `/v1/vm/${vm.id}/port-forwarding`;
  const add = async (external_port: number, internal_port: number) => {
    const { id } = await customer.ask('POST', forwards, { protocol: 'tcp', external_port, internal_port });
    for (;;) {
      const rows = (await customer.ask('GET', forwards)) as { id: string; status: string }[];
      if (rows.find((row) => row.id === id)?.status === 'active') return id as string;
    }
  };
  const isOpen = () => echo(region.client, 20_022).then(Boolean, () => false);

  const ssh = await add(20_022, 22);
  // The forward is active, so it is in force.
  assert.equal(await echo(region.client, 20_022), 'hello');

  const deleted = performance.now();
  await gateway.space.run('nft', 'flush', 'ruleset');
  while (!(await isOpen()));
  t.diagnostic(`all tables deleted: forwarded again after ${Math.round(performance.now() - deleted)} ms`);

  await gateway.stopHelper('SIGKILL');
  await gateway.space.run('nft', 'flush', 'ruleset');
  await assert.rejects(echo(region.client, 20_022), REFUSED);
  await gateway.startHelper();
  while (!(await isOpen()));

  await service.stop();
  assert.ok(await isOpen(), 'while the service is away');
  customer.target = await startService(t, { location: service.location, env });
  assert.ok(await isOpen());

  await add(20_080, 80);
  await customer.ask('DELETE', `${forwards}/${ssh}`);
  while ((await customer.ask('GET', forwards)).length > 1);
  // The forward is no longer listed, so it is gone.
  await assert.rejects(echo(region.client, 20_022), REFUSED);
  assert.equal(await echo(region.client, 20_080), 'hello');

  await customer.ask('DELETE', `/v1/vm/${vm.id}`);
  assert.equal(await customer.settled(vm.id), undefined);
  while ((await gateway.table()).includes('. 20080 :'));
  await assert.rejects(echo(region.client, 20_080), REFUSED);
});
