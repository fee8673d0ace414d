import assert from 'node:assert/strict';
import type { ContractCases } from './contract.ts';
import {
  AgentUnavailableError,
  CapacityError,
  DiskShrinkError,
  type GuestSample,
  type NetworkPolicy,
  NO_RESOURCES,
  resourcesOf,
  shortageOf,
  TemplateUnavailableError,
  withOverhead,
} from './driver.ts';

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJqGEGmIfdvBSnCmzFKzmKQv3SmqZgXYvj1b1iPjW0Vd contract';
const SNAPSHOT = 'snap_contract';
const POLICY: NetworkPolicy = {
  defaultIn: 'drop',
  defaultOut: 'accept',
  firewall: [
    { direction: 'in', action: 'accept', protocol: 'tcp', ports: '22', cidrs: ['0.0.0.0/0', '::/0'] },
    { direction: 'in', action: 'accept', protocol: 'icmp', ports: null, cidrs: ['0.0.0.0/0'] },
  ],
  portForwards: [],
};

export const GUEST: ContractCases = {
  async 'a driver proves that its engine works and has capacity and an image for a small guest'({
    driver,
    spec,
  }) {
    assert.equal((await driver.probe()).ok, true);
    const guest = spec();
    const [host] = await driver.hosts();
    assert.equal(host?.reachable, true);
    const { capacity } = host;
    const cost = withOverhead(resourcesOf(guest), capacity);
    assert.equal(shortageOf(capacity.total, NO_RESOURCES, cost), undefined);
    const template = await driver.findTemplate(guest.template);
    assert.ok(template && template.minDiskGb <= guest.diskGb);
  },

  async 'a template without an image creates no guest'({ driver, spec }) {
    const guest = { ...spec(), template: 'of-which-there-is-no-image' };
    if ((await driver.findTemplate(guest.template)) !== undefined) return;
    await assert.rejects(driver.create(guest), TemplateUnavailableError);
    assert.equal(await driver.inspect(guest.id), undefined);
  },

  async 'a guest larger than the whole engine is not created, and none is resized to it'({
    driver,
    spec,
    made,
  }) {
    const [host] = await driver.hosts();
    const { ramMb } = host!.capacity.total;
    if (ramMb === Infinity) return;
    const guest = { ...spec(), hostId: host!.id, ramMb: ramMb + 1 };
    await assert.rejects(driver.create(guest), CapacityError);
    assert.equal(await driver.inspect(guest.id), undefined);
    const { id, vcpu, diskGb } = await made();
    await assert.rejects(driver.resize(id, { vcpu, ramMb: ramMb + 1, diskGb }), CapacityError);
    assert.equal((await driver.inspect(id))?.vcpu, vcpu);
  },

  async 'a driver names its hosts, and the host of each guest'({ driver, made, reopen }) {
    const ids = (await driver.hosts()).map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    const { id, hostId } = await made();
    const sight = (await driver.list()).find((guest) => guest.id === id);
    assert.equal(sight?.hostId, hostId);
    const after = await (await reopen()).hosts();
    assert.deepEqual(
      after.map((host) => host.id),
      ids,
    );
  },

  async 'a driver names the place of its guests, the same after a restart'({ driver, reopen }) {
    const place = await driver.place();
    assert.equal(await (await reopen()).place(), place);
  },

  async 'create makes a guest that is off; repeating it succeeds'({ driver, made }) {
    const spec = await made();
    await driver.create(spec);
    const { id, hostId, vcpu, ramMb, diskGb } = spec;
    assert.deepEqual(await driver.inspect(id), {
      id,
      power: 'off',
      addresses: spec.addresses.map(({ address }) => address),
      agent: false,
      vcpu,
      ramMb,
      diskGb,
      snapshotIds: [],
    });
    const listed = (await driver.list()).filter((guest) => guest.id === id);
    assert.deepEqual(listed, [{ id, hostId, power: 'off' }]);
  },

  async 'resize sets vCPU, memory and disk of a guest that is off'({ driver, made, settle }) {
    const { id, vcpu, ramMb, diskGb } = await made();
    const { addresses } = (await driver.inspect(id))!;
    const size = { vcpu: vcpu + 1, ramMb: ramMb * 2, diskGb: diskGb + 1 };
    await driver.resize(id, size);
    await driver.resize(id, size);
    const resized = { id, power: 'off', agent: false, addresses, ...size, snapshotIds: [] };
    assert.deepEqual(await driver.inspect(id), resized);
    await settle(driver.start(id));
  },

  async 'resize refuses to shrink a disk, and changes nothing then'({ driver, made }) {
    const { id, vcpu, ramMb, diskGb } = await made();
    await driver.resize(id, { vcpu, ramMb, diskGb: diskGb + 1 });
    await assert.rejects(driver.resize(id, { vcpu: vcpu + 1, ramMb, diskGb }), DiskShrinkError);
    const { power, agent, addresses, snapshotIds, ...after } = (await driver.inspect(id))!;
    assert.deepEqual(after, { id, vcpu, ramMb, diskGb: diskGb + 1 });
  },

  async 'resize refuses a guest that is on'({ driver, booted }) {
    const { id, vcpu, ramMb, diskGb } = await booted();
    await assert.rejects(driver.resize(id, { vcpu, ramMb, diskGb: diskGb + 1 }), Error);
    assert.equal((await driver.inspect(id))?.diskGb, diskGb);
  },

  async 'remove leaves nothing of a running guest; repeating it succeeds'({ driver, booted }) {
    const { id } = await booted();
    await driver.createSnapshot(id, SNAPSHOT);
    await driver.remove(id);
    await driver.remove(id);
    assert.equal(await driver.inspect(id), undefined);
    assert.ok(!(await driver.list()).some((listed) => listed.id === id));
    assert.deepEqual(await driver.volumes(id), []);
    assert.deepEqual(await driver.sample([id]), []);
  },

  async 'an id can be used again after remove'({ driver, made }) {
    const spec = await made();
    await driver.createSnapshot(spec.id, SNAPSHOT);
    await driver.remove(spec.id);
    await driver.create(spec);
    assert.deepEqual((await driver.inspect(spec.id))?.snapshotIds, []);
  },

  async 'snapshots are taken on and off, listed, and deleted'({ driver, made, untilUp, settle }) {
    const { id } = await made();
    await driver.createSnapshot(id, `${SNAPSHOT}_off`);
    await settle(driver.start(id));
    const info = await driver.createSnapshot(id, `${SNAPSHOT}_on`);
    assert.ok(info.sizeBytes >= 0);
    await driver.createSnapshot(id, `${SNAPSHOT}_on`);
    assert.deepEqual((await driver.inspect(id))?.snapshotIds.toSorted(), [
      `${SNAPSHOT}_off`,
      `${SNAPSHOT}_on`,
    ]);
    await driver.deleteSnapshot(id, `${SNAPSHOT}_on`);
    await driver.deleteSnapshot(id, `${SNAPSHOT}_on`);
    assert.deepEqual((await driver.inspect(id))?.snapshotIds, [`${SNAPSHOT}_off`]);
    assert.equal(await untilUp(id), 'running');
  },

  async 'passwords and keys reach a running guest, and only that'({ driver, made, untilUp, settle }) {
    const { id } = await made();
    await assert.rejects(driver.setPassword(id, 'root', 'correct horse'), AgentUnavailableError);
    await assert.rejects(driver.authorizeKey(id, KEY), AgentUnavailableError);
    await assert.rejects(driver.revokeKey(id, KEY), AgentUnavailableError);
    await settle(driver.start(id));
    await untilUp(id);
    await driver.setPassword(id, 'root', 'correct horse');
    await driver.authorizeKey(id, KEY);
    await driver.authorizeKey(id, KEY);
    await driver.revokeKey(id, KEY);
    await driver.revokeKey(id, KEY);
  },

  async 'network rules are accepted on and off, repeatedly'({ driver, made, untilUp, settle }) {
    const { id } = await made();
    await driver.applyNetwork(id, POLICY);
    await settle(driver.start(id));
    await driver.applyNetwork(id, POLICY);
    await driver.applyNetwork(id, { ...POLICY, firewall: [] });
    assert.equal(await untilUp(id), 'running');
  },

  async 'readings only grow while a guest runs, and stop when it is off'({ driver, made, booted, idle }) {
    const { id, vcpu, ramMb } = await booted();
    const off = await made();
    const [before, ...none] = await driver.sample([id, off.id, 'vm_unknown']);
    assert.ok(before && none.length === 0);
    await idle();
    const [after] = await driver.sample([id]);
    assert.ok(after && after.at > before.at);
    const { id: _, at, vcpu: shown, ramUsedBytes, refused, ...counters } = after;
    for (const [name, value] of Object.entries(counters)) {
      assert.ok(value >= before[name as keyof typeof counters], `${name} fell`);
    }
    assert.equal(shown, vcpu);
    assert.ok(ramUsedBytes > 0 && ramUsedBytes <= ramMb * 1_048_576);
    assert.ok(cpuLoad(before, after) <= vcpu * 1.05, 'more CPU than there is');
    await driver.powerOff(id);
    assert.deepEqual(await driver.sample([id]), []);
  },

  async 'one volume is the boot disk, of the requested size'({ driver, made }) {
    const { id, diskGb } = await made();
    const boot = (await driver.volumes(id)).filter((volume) => volume.boot);
    assert.deepEqual(
      boot.map((volume) => volume.sizeGb),
      [diskGb],
    );
  },

  async 'a missing guest cannot be changed, and removing it succeeds'({ driver, spec, settle }) {
    const { id, ...size } = spec();
    const refused: (() => Promise<unknown>)[] = [
      () => driver.start(id),
      () => driver.shutdown(id, 1),
      () => driver.reboot(id, 1),
      () => driver.resize(id, size),
      () => driver.setPassword(id, 'root', 'correct horse'),
      () => driver.authorizeKey(id, KEY),
      () => driver.revokeKey(id, KEY),
      () => driver.createSnapshot(id, SNAPSHOT),
      () => driver.restoreSnapshot(id, SNAPSHOT),
      () => driver.applyNetwork(id, POLICY),
    ];
    for (const change of refused) await assert.rejects(settle(change()), Error, String(change));
    await driver.powerOff(id);
    await driver.remove(id);
    await driver.deleteSnapshot(id, SNAPSHOT);
    await driver.finishRebuild(id, 'rebuild_contract');
    await driver.undoRebuild(id, 'rebuild_contract');
    assert.equal(await driver.inspect(id), undefined);
    assert.deepEqual(await driver.volumes(id), []);
  },

  async 'guests outlive the driver'({ driver, made, booted, reopen }) {
    const off = await made();
    const on = await booted();
    await driver.createSnapshot(off.id, SNAPSHOT);
    const before = [await driver.inspect(off.id), await driver.inspect(on.id)];
    const next = await reopen();
    assert.deepEqual([await next.inspect(off.id), await next.inspect(on.id)], before);
  },

  async 'watching ends on request, and closing twice is harmless'({ driver }) {
    const stop = driver.watch(() => {});
    stop();
    stop();
    driver.watch(() => {});
    await driver.close();
    await driver.close();
  },
};

function cpuLoad(before: GuestSample, after: GuestSample): number {
  return ((after.cpuSeconds - before.cpuSeconds) * 1000) / (after.at.getTime() - before.at.getTime());
}
