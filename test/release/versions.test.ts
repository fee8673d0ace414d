import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mapVersions, raise, versionsIn } from '../../scripts/release/versions.ts';

test('a release raises one part of the version and sets those after it to zero', () => {
  assert.equal(raise('0.9.0', 'patch'), '0.9.1');
  assert.equal(raise('0.9.1', 'minor'), '0.10.0');
  assert.equal(raise('0.10.3', 'major'), '1.0.0');
  assert.equal(raise('19.99.9', 'patch'), '19.99.10');
});

test('a version that is not three numbers is refused', () => {
  for (const version of ['1.0', '1.0.0-rc.1', 'v1.0.0', '01.0.0', '1.0.0.0', ''])
    assert.throws(() => raise(version, 'patch'), /^Error: not a version/, version);
});

test('in a lock file, the packages of the project change and the installed ones do not', () => {
  const lock = {
    version: '1.0.0',
    lockfileVersion: 3,
    packages: {
      '': { version: '1.0.0', peerDependencies: { '@vauban/client': '^1.0.0', other: '^1.0.0' } },
      sdk: { version: '1.0.0' },
      'node_modules/@vauban/client': { resolved: 'sdk', link: true },
      'node_modules/other': { version: '1.0.0' },
      'sdk/node_modules/other': { version: '1.0.0' },
    },
  };
  const text = mapVersions('package-lock.json', JSON.stringify(lock), () => '2.0.0');
  assert.deepEqual(versionsIn('package-lock.json', text), ['2.0.0', '2.0.0', '2.0.0', '2.0.0']);
  const { packages, ...rest } = JSON.parse(text);
  assert.deepEqual(rest, { version: '2.0.0', lockfileVersion: 3 });
  assert.deepEqual(packages[''].peerDependencies, { '@vauban/client': '^2.0.0', other: '^1.0.0' });
  for (const path of Object.keys(lock.packages).filter((path) => path.includes('node_modules')))
    assert.deepEqual(packages[path], lock.packages[path as keyof typeof lock.packages], path);
});

test('a Go file has the version as a constant', () => {
  const text = mapVersions(
    'terraform/version.go',
    'package main\n\nconst version = "1.0.0"\n',
    () => '1.0.1',
  );
  assert.equal(text, 'package main\n\nconst version = "1.0.1"\n');
});
