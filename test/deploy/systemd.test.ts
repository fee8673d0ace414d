import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { defer } from '../support/cleanup.ts';
import { read } from '../support/source.ts';

const UNITS = ['vauban.service', 'vauban-host.service'];
/** Of systemd's own scale, 0 to 10; what is left is told in docs/network.md. */
const MAX_EXPOSURE: Record<string, number> = { 'vauban.service': 2, 'vauban-host.service': 3.5 };

const version = spawnSync('systemd-analyze', ['--version'], { encoding: 'utf8' });
const number = Number(/^systemd (\d+)/.exec(version.stdout ?? '')?.[1] ?? 0);
const skip = number >= 250 ? false : 'needs systemd-analyze 250 or newer';

/** The units as they are, but for programs of an installation that is not here. */
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

test('the units leave little to whoever takes the services over', { skip }, (t) => {
  for (const [index, path] of copies(t).entries()) {
    const options = ['security', '--offline=true', '--no-pager', path];
    const { stdout } = spawnSync('systemd-analyze', options, { encoding: 'utf8' });
    const exposure = Number(/exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1]);
    assert.ok(exposure <= MAX_EXPOSURE[UNITS[index]!]!, `${UNITS[index]}: ${exposure}`);
  }
});

test('the service has no privilege, and the helper those that it is tested with', () => {
  const bounding = (unit: string) =>
    /^CapabilityBoundingSet=(.*)$/m.exec(read(`deploy/systemd/${unit}`))?.[1];
  assert.equal(bounding('vauban.service'), '');
  const tested = /--bounding-set=-all,([^']+)'/.exec(read('test/compute/routed/support/world.ts'))![1]!;
  const words = tested.split(',').map((word) => word.replace('+', 'CAP_').toUpperCase());
  assert.equal(bounding('vauban-host.service'), words.join(' '));
});
