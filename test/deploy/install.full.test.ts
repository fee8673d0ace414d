import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import manifest from '../../package.json' with { type: 'json' };
import { defer } from '../support/cleanup.ts';
import { REPOSITORY, read } from '../support/source.ts';

interface Locked {
  version?: string;
  integrity?: string;
  link?: boolean;
  hasInstallScript?: boolean;
  optional?: boolean;
  bin?: Record<string, string>;
}

const PACKAGES = Object.entries(JSON.parse(read('package-lock.json')).packages as Record<string, Locked>);
const INSTALLED = PACKAGES.filter(([path, { link }]) => path.startsWith('node_modules/') && !link);
/** The package name for the platforms for which the project ships Node. */
const BROUGHT = `node-${process.platform}-${process.arch}`;

test('everything that npm ci unpacks is in the lock file by its hash, and no package runs a script', () => {
  assert.ok(INSTALLED.length > 100);
  for (const [path, { integrity }] of INSTALLED) assert.match(integrity ?? '', /^sha512-/, path);
  const scripted = INSTALLED.filter(([, locked]) => locked.hasInstallScript).map(([path]) => path);
  const refused = Object.entries(manifest.allowScripts).map(([name, allowed]) => {
    assert.equal(allowed, false, name);
    return `node_modules/${name}`;
  });
  assert.deepEqual(scripted.sort(), refused.sort());
});

test('Node comes as a package of each platform, all of one version', () => {
  const nodes = INSTALLED.filter(([, { bin }]) => bin?.node);
  assert.deepEqual(
    nodes.map(([path]) => path),
    Object.keys(manifest.optionalDependencies).map((name) => `node_modules/${name}`),
  );
  for (const [path, { optional, version }] of nodes) {
    assert.equal(optional, true, path);
    assert.equal(version, nodes[0]![1].version, path);
  }
});

/** Runs a program of the project under a Node that claims to be `version`. */
function runAs(version: string, program: string) {
  const pretend = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`;
  const options = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, program];
  return spawnSync(process.execPath, options, { cwd: REPOSITORY, encoding: 'utf8' });
}

test('a Node that is too old is named in one line, before anything is loaded or made', () => {
  // The last version before `argon2`, which the panel's sign-in needs, is refused like any older one.
  for (const version of ['20.20.2', '24.6.0']) {
    for (const program of ['server/start.mjs', 'scripts/prepare.mjs']) {
      const { status, stdout, stderr } = runAs(version, program);
      assert.equal(status, 1, program);
      assert.equal(stdout, '');
      assert.match(stderr, /^Vauban needs Node 24\.7 or newer, not [^\n]+\n$/);
    }
  }
});

test('the oldest Node that may run it is the one that package.json names', () => {
  const [, major = '', minor = ''] = /^>=(\d+)\.(\d+)$/.exec(manifest.engines.node)!;
  const check = 'server/require-node.mjs';
  assert.equal(runAs(`${major}.${minor}.0`, check).status, 0);
  assert.equal(runAs(`${Number(major) + 1}.0.0`, check).status, 0);
  assert.equal(runAs(`${major}.${Number(minor) - 1}.0`, check).status, 1);
});

/** Returns a copy of the project whose packages have no link to the bundled Node, as npm 10 leaves them. */
function withoutLink(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'vauban-install-'));
  defer(t, () => rmSync(directory, { recursive: true }));
  for (const part of [
    'package.json',
    'openapi.json',
    'tsconfig.json',
    'scripts',
    'server',
    'panel',
    'site',
    'sdk',
    'cli',
    'shared',
  ])
    cpSync(join(REPOSITORY, part), join(directory, part), { recursive: true });
  mkdirSync(join(directory, 'node_modules/.bin'), { recursive: true });
  for (const name of readdirSync(join(REPOSITORY, 'node_modules')).filter((name) => !name.startsWith('.')))
    symlinkSync(join(REPOSITORY, 'node_modules', name), join(directory, 'node_modules', name));
  return directory;
}

test('npm scripts run the bundled Node, also if npm did not link it', (t) => {
  if (!existsSync(join(REPOSITORY, 'node_modules', BROUGHT))) return t.skip(`no ${BROUGHT} is installed`);
  const directory = withoutLink(t);
  const { status, stderr } = spawnSync(process.execPath, ['scripts/prepare.mjs'], { cwd: directory });
  assert.equal(status, 0, stderr.toString());
  assert.equal(readlinkSync(join(directory, 'node_modules/.bin/node')), `../${BROUGHT}/bin/node`);
  assert.equal(readdirSync(join(directory, 'node_modules/.cache/vauban')).length, 1);
});
