import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { test } from 'node:test';
import type { NetworkPolicy } from '../../../server/compute/driver.ts';
import { SimulatorGuests } from '../../../server/db/queries/hosts/simulator-guests.ts';
import { addTraffic } from '../../../server/db/queries/vms/bandwidth.ts';
import { buyVm, comes } from '../../jobs/support/landlord.ts';
import { look, planOf, throttling } from '../../timers/throttle-support.ts';
import { GB } from '../../timers/usage-support.ts';
import { Env, INTERNET, type TestGuest, whyNot } from './support/env.ts';

const skip = whyNot();
const PACKETS = 2_000;
/** The payload of an IPv4 packet that just fits into a frame. */
const DATA = 1_472;
const SENT = PACKETS * (DATA + 28);
/** The burst that each queue lets pass at once, in bytes. */
const BURST = { up: (bps: number) => bps / 8 + 2 * 1_500, down: 128 * 1024 + 2 * 1_514 };

/**
 * Returns the bytes of {@link PACKETS} that came through each way, from the kernel's counters, and the seconds it took.
 */
async function flood(env: Env, guest: TestGuest) {
  const counters = async () => ({
    up: (await env.network.counters([guest.id])).get(guest.id)!.outBytes,
    down: JSON.parse(await guest.space.run('ip', '-j', '-s', 'link', 'show', 'eth0'))[0].stats64.rx
      .bytes as number,
  });
  const before = await counters();
  const started = performance.now();
  const packets = ['-q', '-c', `${PACKETS}`, '-p', `${DATA}`, '-t', 'udp', 'sp=9,dp=9'];
  const to = ['-b', await env.gatewayMac(guest)];
  await guest.space.run('mausezahn', 'eth0', '-A', guest.v4, '-B', INTERNET[4], ...to, ...packets);
  await env.internet.run('mausezahn', 'out0', '-A', INTERNET[4], '-B', guest.v4, ...packets);
  const after = await counters();
  const seconds = (performance.now() - started) / 1_000;
  return { up: after.up - before.up, down: after.down - before.down, seconds };
}

for (const end of ['throttle', 'stop'] as const) {
  test(`at its included volume the kernel makes a guest ${end}, until the next period`, {
    skip,
  }, async (t) => {
    const { fixture, customer } = await throttling(t, { throttle_mbps: 1 });
    planOf(fixture, 's2').at_included = end;
    const id = await buyVm(fixture, customer);
    const rule = { direction: 'in', action: 'accept', protocol: 'udp', cidrs: ['0.0.0.0/0'] };
    await customer.must({ method: 'POST', path: `/v1/vm/${id}/firewall`, body: rule });
    const env = await Env.open(t);
    // The network policy that the service wants for the VM, enforced by the QEMU engine's helper.
    const wanted = async (): Promise<NetworkPolicy> => {
      await look(fixture);
      return (await new SimulatorGuests(fixture.db).readGuest(id))!.network!;
    };
    const guest = await env.guest(t, 40, await wanted());
    const isFast = async () => {
      const { up, down } = await flood(env, guest);
      t.diagnostic(`fast: of ${SENT} bytes ${up} up, ${down} down`);
      assert.ok(up >= SENT && down >= SENT, `${up} up, ${down} down`);
    };
    const isSlow = async (bps: number) => {
      const { up, down, seconds } = await flood(env, guest);
      t.diagnostic(`${end}: of ${SENT} bytes ${up} up, ${down} down in ${seconds.toFixed(2)} s`);
      assert.ok(up <= BURST.up(bps) + (seconds * bps) / 8, `${up} up`);
      assert.ok(down <= BURST.down + (seconds * bps) / 8, `${down} down`);
    };

    await isFast();
    // The packets themselves use up the volume to the last byte.
    const metered = (await env.network.counters([guest.id])).get(guest.id)!.outBytes;
    const send = (out_bytes: number) =>
      addTraffic(fixture.db, [{ vm_id: id, date: '2026-01-10', in_bytes: 0, out_bytes }]);
    await send(1000 * GB - metered - 1);
    await send(metered);
    await env.network.apply(guest, await wanted());
    await isFast();
    await send(1);
    await env.network.apply(guest, await wanted());
    const bps = end === 'stop' ? 8_000 : 1_000_000;
    await isSlow(bps);
    // Simulates a restart of the host service after the rules were flushed.
    await env.host.run('nft', 'flush', 'ruleset');
    await env.host.run('tc', 'qdisc', 'del', 'dev', guest.tap, 'root');
    await env.network.reassert([{ guest, policy: await wanted() }]);
    await isSlow(bps);

    await comes(fixture, '2026-02-01T00:00:00Z');
    await env.network.apply(guest, await wanted());
    await isFast();
  });
}
