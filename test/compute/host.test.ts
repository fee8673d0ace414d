import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { findAccelerator, findNetworkPrivilege, inspectHost } from '../../server/compute/qemu/host.ts';
import { createImageStore } from '../../server/compute/qemu/images/image-store.ts';
import { defer } from '../support/cleanup.ts';

/** Files in place of the kernel's. */
function kernel(t: TestContext, files: Record<string, string>): (name: string) => string {
  const directory = mkdtempSync(join(tmpdir(), 'vauban-host-'));
  defer(t, () => rmSync(directory, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  return (name) => join(directory, name);
}

const WITH = (flag: string) => `processor\t: 0\nflags\t\t: fpu vme ${flag} sse\n`;

test('KVM is used only if its device opens and the processor can virtualise', async (t) => {
  const at = kernel(t, { kvm: '', intel: WITH('vmx'), amd: WITH('svm'), guest: WITH('vmx_like') });
  const find = (kvm: string, cpuinfo: string) =>
    findAccelerator('auto', { kvm: at(kvm), cpuinfo: at(cpuinfo) });
  assert.equal((await find('kvm', 'intel')).kind, 'kvm');
  assert.equal((await find('kvm', 'amd')).kind, 'kvm');
  assert.deepEqual(await find('kvm', 'guest'), {
    kind: 'tcg',
    reason: `${at('kvm')} can be opened, but the processor has neither svm nor vmx`,
  });
  assert.deepEqual(await find('absent', 'intel'), {
    kind: 'tcg',
    reason: `${at('absent')} cannot be opened: ENOENT`,
  });
});

test("the operator's setting overrides the accelerator", async (t) => {
  const at = kernel(t, { kvm: '', intel: WITH('vmx') });
  const files = { kvm: at('kvm'), cpuinfo: at('intel') };
  assert.equal((await findAccelerator('tcg', files)).kind, 'tcg');
  assert.equal((await findAccelerator('kvm', { ...files, kvm: at('absent') })).kind, 'kvm');
});

test('guests of customers need CAP_NET_ADMIN and the tun device', async (t) => {
  const at = kernel(t, { held: 'CapEff:\t0000000000001000\n', none: 'CapEff:\t0000000000000800\n', tun: '' });
  const find = (status: string, tun: string) =>
    findNetworkPrivilege({ kvm: '', cpuinfo: '', meminfo: '', status: at(status), tun: at(tun) });
  assert.equal((await find('held', 'tun')).state, 'ok');
  assert.match((await find('none', 'tun')).found, /user mode only.*the service lacks CAP_NET_ADMIN/);
  assert.match((await find('held', 'absent')).found, /user mode only.*absent cannot be opened/);
});

test('a host is reported part by part, and one without images runs no guest', async () => {
  const dataDir = join(tmpdir(), 'not', 'there', 'yet');
  const findings = await inspectHost({
    dataDir,
    poolDir: dataDir,
    images: createImageStore(join(dataDir, 'images')),
  });
  const named = new Map(findings.map((finding) => [finding.what, finding]));
  const parts = [
    'qemu-system-x86_64',
    'qemu-img',
    'accelerator',
    'nft',
    'ip',
    'setfacl',
    'network',
    'limits of guests',
    'memory',
    'disk',
    'images',
    'guests',
  ];
  assert.deepEqual([...named.keys()], parts);
  assert.equal(named.get('images')?.state, 'missing');
  assert.match(named.get('disk')!.found, /^\d+ GiB free for \S+, \d+ % used$/);
  assert.match(named.get('memory')!.found, /^\d+ MiB available$/);
  for (const { found } of findings) assert.doesNotMatch(found, /\n/);
});
