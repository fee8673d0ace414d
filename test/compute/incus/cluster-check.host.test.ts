import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defer } from '../../support/cleanup.ts';
import { GATEWAY, GATEWAY_6 } from '../../support/incus/cluster.ts';
import { inCluster } from '../../support/incus/in-cluster.ts';
import { addressOf } from '../../support/incus/layout.ts';
import { killMember } from '../../support/incus/members.ts';
import { openIncus, tinyGuest } from './support.ts';

const cluster = await inCluster(import.meta.filename);

if (cluster) {
  const wants = {
    templates: ['tiny', 'debian-12'],
    zones: ['a'],
    gateways: [{ region: 'eu', addresses: [GATEWAY, GATEWAY_6] }],
  };

  test('incus: a real cluster reports its state and its problems, and a member that dies', async (t) => {
    const driver = await openIncus(cluster);
    defer(t, () => driver.close());
    const check = async () =>
      new Map((await driver.check!(wants)).map(({ what, state, found }) => [what, `${state}: ${found}`]));
    const found = await check();
    t.diagnostic([...found].map(([what, said]) => `${what}: ${said}`).join('\n'));
    for (const [what, pattern] of Object.entries({
      certificate: /^ok/,
      API: /^ok: incus 6/,
      quorum: /^ok: .* 3 members/,
      // The tests set a low threshold so that they do not have to wait long.
      offline_threshold: /^limited: 11 seconds/,
      'member m1': /^ok: Online/,
      'network vb0': new RegExp(`^ok: a bridge with ${GATEWAY}, ${GATEWAY_6}$`),
      BGP: /^ok: AS 65001, 1 peer$/,
      'pool default': /^limited: dir/,
      'image of tiny': /^ok: tiny, a container$/,
      'image of debian-12': /^limited: there is no image with the alias/,
      'zone a': /^ok: m1, m2, m3$/,
    }))
      assert.match(found.get(what) ?? 'absent', pattern, what);
    assert.match(found.get('firewall of m1')!, /^limited: .*nf_conntrack_bridge/);

    const [host] = (await driver.hosts()).filter(({ name }) => name === 'm1');
    const spec = tinyGuest({ hostId: host!.id });
    await driver.create(spec);
    await driver.start(spec.id);
    assert.match((await check()).get('firewall of m1')!, /^ok: nftables; guests with rules/);
    await driver.powerOff(spec.id);
    await driver.remove(spec.id);

    await killMember(cluster, 3);
    const after = await check();
    assert.match(after.get('member m3')!, new RegExp(`^limited: .* at https://${addressOf(3)}:8443`));
    assert.match(after.get('firewall of m3')!, /^missing/);
    assert.match(after.get('quorum')!, /^ok/);
  });
}
