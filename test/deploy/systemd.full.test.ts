import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { GUEST_OOM_SCORE } from '../../server/compute/qemu/process/process-wait.ts';
import { loadConfig } from '../../server/config/config.ts';
import { defer } from '../support/cleanup.ts';
import { read } from '../support/source.ts';

const UNITS = ['vauban.service', 'vauban-host.service', 'vauban-edge.service', 'vauban-gateway.service'];
/** On systemd's own scale from 0 to 10; docs/network.md explains the remaining exposure. */
const MAX_EXPOSURE: Record<string, number> = {
  'vauban.service': 2,
  'vauban-host.service': 3.5,
  'vauban-edge.service': 2.5,
  'vauban-gateway.service': 2.5,
};

const version = spawnSync('systemd-analyze', ['--version'], { encoding: 'utf8' });
const number = Number(/^systemd (\d+)/.exec(version.stdout ?? '')?.[1] ?? 0);
const skip = number >= 250 ? false : 'needs systemd-analyze 250 or newer';

/** Copies of the real units, except for programs of an installation that does not exist here. */
function copies(t: TestContext): string[] {
  const directory = mkdtempSync(join(tmpdir(), 'vauban-units-'));
  defer(t, () => rmSync(directory, { recursive: true }));
  return UNITS.map((unit) => {
    const text = read(`deploy/systemd/${unit}`)
      .replaceAll('/opt/vauban/node_modules/.bin/node', process.execPath)
      .replaceAll('WorkingDirectory=/opt/vauban', 'WorkingDirectory=/');
    const path = join(directory, unit);
    writeFileSync(path, text);
    return path;
  });
}

test('systemd understands every line of the units', { skip }, (t) => {
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', ...copies(t)], { encoding: 'utf8' });
  assert.equal(stderr, '');
  assert.equal(status, 0);
});

test('the units leave little to an intruder in the services', { skip }, (t) => {
  for (const [index, path] of copies(t).entries()) {
    const options = ['security', '--offline=true', '--no-pager', path];
    const { stdout } = spawnSync('systemd-analyze', options, { encoding: 'utf8' });
    const exposure = Number(/exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1]);
    t.diagnostic(`${UNITS[index]}: ${exposure}`);
    assert.ok(exposure <= MAX_EXPOSURE[UNITS[index]!]!, `${UNITS[index]}: ${exposure}`);
  }
});

test('the unit names the engines, and lacks nothing but the address', () => {
  const lines = read('deploy/systemd/vauban.service').matchAll(/^Environment=(\w+)=(.*)$/gm);
  const env = Object.fromEntries([...lines].map(([, name, value]) => [name!, value!]));
  assert.throws(() => loadConfig(env), /^ConfigError: VAUBAN_PUBLIC_URL: [^\n]+$/);
  const config = loadConfig({ ...env, VAUBAN_PUBLIC_URL: 'https://api.example.com' });
  const { mode, compute, qemuNetwork, edge } = config;
  assert.deepEqual([mode, compute, qemuNetwork, edge], ['production', 'qemu', 'routed', 'off']);
});

const settings = (file: string, name: string) =>
  [...read(`deploy/systemd/${file}`).matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value);

test('both open the KVM device, through its group, and only the helper opens taps', () => {
  const members = read('deploy/systemd/vauban.sysusers');
  const devices = {
    'vauban.service': ['/dev/kvm rw'],
    'vauban-host.service': ['/dev/net/tun rw', '/dev/kvm rw'],
  };
  for (const [unit, allowed] of Object.entries(devices)) {
    assert.deepEqual(settings(unit, 'DeviceAllow'), allowed);
    assert.deepEqual(settings(unit, 'DevicePolicy'), ['closed']);
    // PrivateDevices would remove every device, whatever else is allowed.
    assert.ok(!settings(unit, 'PrivateDevices').includes('yes'), unit);
    assert.match(members, new RegExp(`^m ${settings(unit, 'User')[0]} kvm$`, 'm'));
  }
});

test('the service has no privilege, the helper is not root and has those that it is tested with', () => {
  const setting = (unit: string, name: string) => settings(unit, name)[0];
  assert.equal(setting('vauban.service', 'CapabilityBoundingSet'), '');
  const tested = /CAPABILITIES = '-all,([^']+)'/.exec(read('test/compute/routed/support/env.ts'))![1]!;
  const words = tested.split(',').map((word) => word.replace('+', 'CAP_').toUpperCase());
  for (const set of ['CapabilityBoundingSet', 'AmbientCapabilities'])
    assert.equal(setting('vauban-host.service', set), words.join(' '));
  assert.equal(setting('vauban-host.service', 'User'), 'vauban-host');
  for (const [name, file] of [
    ['vauban-edge', 'test/support/helper-process.ts'],
    ['vauban-gateway', 'test/support/helper-process.ts'],
  ] as const) {
    const one = /CAPABILITIES = '-all,\+([^']+)'/.exec(read(file))![1]!;
    for (const set of ['CapabilityBoundingSet', 'AmbientCapabilities'])
      assert.equal(setting(`${name}.service`, set), `CAP_${one.toUpperCase()}`);
    assert.equal(setting(`${name}.service`, 'User'), name);
  }
});

test('out of memory, guests end before the services they depend on', () => {
  for (const unit of UNITS) {
    const score = Number(settings(unit, 'OOMScoreAdjust')[0]);
    assert.ok(score <= -500 && score < GUEST_OOM_SCORE, unit);
  }
});
