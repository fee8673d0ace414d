import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { forAnotherNode, SHARED_SETTINGS, skipWithoutPostgres } from '../chaos/support/another-node.ts';
import { newCustomer } from '../chaos/support/customer.ts';
import { freshDatabaseLocation } from '../support/database.ts';
import { startService } from '../support/service.ts';
import { bgp } from './support/bgp.ts';
import { keepalived } from './support/keepalived.ts';
import { CLIENT, echo, type Gateway, REFUSED, Region, whyNot } from './support/region.ts';

for (const [name, takeover] of Object.entries({ keepalived, bgp }))
  test(`a gateway dies (${name}): the next has the address and all forwards, and changes made in between`, {
    skip: whyNot() || skipWithoutPostgres,
  }, async (t) => {
    const region = await Region.open(t, { gateways: 2 });
    const [first, second] = region.gateways as [Gateway, Gateway];
    await takeover.prepare(t, region);
    const location = await freshDatabaseLocation(t);
    const shared = { ...SHARED_SETTINGS, VAUBAN_SIMULATOR_BOOT_SECONDS: '0' };
    const nodeAt = async (gateway: Gateway) =>
      startService(t, {
        location: await forAnotherNode(t, location),
        env: { ...shared, VAUBAN_GATEWAY: 'nftables', VAUBAN_GATEWAY_HELPER: gateway.socket },
      });
    const nodes = [await nodeAt(first), await nodeAt(second)];
    const api = await startService(t, { location, env: { ...shared, VAUBAN_GATEWAY: 'elsewhere' } });
    const kills = [];
    for (const [index, { operatorSocket }] of nodes.entries())
      kills.push(await takeover.join(t, region.gateways[index]!, { index, operatorSocket }));

    const customer = await newCustomer(api);
    const body = { plan: 's1', template: 'debian-12', hostname: 'web' };
    const { vm } = await customer.ask('POST', '/v1/vm', body);
    const { ipv4 } = await customer.settled(vm.id);
    const guest = await region.guest(t, ipv4);
    for (const port of [22, 80]) await guest.space.ask({ do: 'listenTcp', port });
    const forwards = `/v1/vm/${vm.id}/port-forwarding`;
    const has = (gateway: Gateway) => takeover.isInCharge(region, region.gateways.indexOf(gateway));
    const knows = async (gateway: Gateway, port: number) => (await gateway.table()).includes(`. ${port} :`);
    const until = async (condition: () => Promise<boolean>) => {
      while (!(await condition())) await sleep(50);
    };
    const add = async (external_port: number, internal_port: number) => {
      const { id } = await customer.ask('POST', forwards, { protocol: 'tcp', external_port, internal_port });
      return id as string;
    };
    const states = async () =>
      (await customer.ask('GET', forwards)).map((row: { status: string }) => row.status).join();

    const ssh = await add(20_022, 22);
    await until(async () => (await states()) === 'active');
    await until(async () => (await has(first)) && (await knows(first, 20_022)));
    await until(() => knows(second, 20_022));
    assert.equal(await echo(region.client, 20_022), 'hello');
    assert.deepEqual(guest.space.arrivals(22), [CLIENT]);
    assert.equal(await has(second), false);

    const died = performance.now();
    // Unplugs the cables first, so that no closing connection reveals the failure.
    await first.space.ip('link set w0 down', 'link set l0 down');
    await Promise.all([kills[0]!(), nodes[0]!.kill(), first.stopHelper('SIGKILL')]);
    await until(() => has(second));
    assert.equal(await echo(region.client, 20_022), 'hello');
    t.diagnostic(
      `a new connection ${((performance.now() - died) / 1000).toFixed(1)} s after the gateway died`,
    );

    await customer.ask('DELETE', `${forwards}/${ssh}`);
    await add(20_080, 80);
    await until(async () => (await states()) === 'active');
    assert.equal(await echo(region.client, 20_080), 'hello');
    await assert.rejects(echo(region.client, 20_022), REFUSED);

    // The gateway comes back with the forwards from the time of its death, and gets no traffic before it has caught up.
    assert.ok(await knows(first, 20_022));
    await first.space.ip('link set w0 up', 'link set l0 up', `route replace ${ipv4} via 10.9.0.21`);
    const node = await first.startHelper().then(() => nodeAt(first));
    assert.ok(!(await knows(first, 20_022)));
    await takeover.join(t, first, { index: 0, operatorSocket: node.operatorSocket });
    await until(async () => (await has(first)) && !(await has(second)));
    assert.equal(await echo(region.client, 20_080), 'hello');
    await assert.rejects(echo(region.client, 20_022), REFUSED);

    // A gateway whose helper is dead gives up the address, even if everything else works.
    await first.stopHelper('SIGKILL');
    await add(20_081, 80);
    await until(() => has(second));
    await until(() => knows(second, 20_081));
    assert.equal(await echo(region.client, 20_081), 'hello');
  });
