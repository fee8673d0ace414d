import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { versionedFiles, versionsIn } from '../../scripts/release/versions.ts';
import { defer } from '../support/cleanup.ts';
import { REPOSITORY } from '../support/source.ts';

const SCRIPT = join(REPOSITORY, 'scripts/release.ts');
const CHANGELOG = '# Changelog\n\n## Unreleased\n\n### Added\n\n- One.\n\n## 0.9.0 (2026-11-27)\n\n- Old.\n';
const manifest = (rest: object = {}) => `${JSON.stringify({ version: '0.9.0', ...rest }, null, 2)}\n`;
/** Returns an npm script that writes a file with the project's version and its own arguments. */
const writes = (file: string) =>
  `node -e "require('fs').writeFileSync('${file}', require('./package.json').version + process.argv.slice(1))"`;

/** Creates a small project in its own repository, with everything that a release touches. */
function newProject(t: TestContext, { check = 'exit 0', changelog = CHANGELOG } = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'vauban-release-'));
  defer(t, () => rmSync(directory, { recursive: true }));
  const scripts = { check, test: 'exit 0', generate: writes('made.json'), 'release:keep': writes('kept') };
  const files = {
    'package.json': manifest({ workspaces: ['sdk'], scripts }),
    'package-lock.json': manifest({ packages: { '': { version: '0.9.0' }, sdk: { version: '0.9.0' } } }),
    'sdk/package.json': manifest(),
    'pulumi/package.json': manifest({ peerDependencies: { '@vauban/client': '^0.9.0' } }),
    'pulumi/package-lock.json': manifest({ packages: { '../sdk': { version: '0.9.0' } } }),
    'terraform/version.go': 'package main\n\nconst version = "0.9.0"\n',
    'CHANGELOG.md': changelog,
  };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    writeFileSync(join(directory, file), text);
  }
  const env = {
    ...process.env,
    GIT_CONFIG_GLOBAL: '/dev/null',
    ...{ GIT_AUTHOR_NAME: 'Test', GIT_AUTHOR_EMAIL: 'test@example.com' },
    ...{ GIT_COMMITTER_NAME: 'Test', GIT_COMMITTER_EMAIL: 'test@example.com' },
  };
  const git = (...words: string[]) =>
    execFileSync('git', words, { cwd: directory, env, encoding: 'utf8' }).trim();
  git('init', '--quiet', '--initial-branch', 'main');
  git('add', '--all');
  git('commit', '--quiet', '-m', 'first');
  return {
    directory,
    git,
    read: (file: string) => readFileSync(join(directory, file), 'utf8'),
    write: (file: string, text: string) => writeFileSync(join(directory, file), text),
    state: () => [git('rev-parse', 'HEAD'), git('status', '--porcelain'), git('branch', '-a'), git('tag')],
    release: (...words: string[]) =>
      spawnSync(process.execPath, [SCRIPT, ...words], { cwd: directory, env, encoding: 'utf8' }),
  };
}

type Project = ReturnType<typeof newProject>;

/** Tries a release that must be refused without changing anything. */
function assertRefused(project: Project, reason: RegExp, ...words: string[]): void {
  const before = project.state();
  const { status, stderr } = project.release(...words);
  assert.equal(status, 1);
  assert.match(stderr, reason);
  assert.deepEqual(project.state(), before);
  assert.equal(JSON.parse(project.read('package.json')).version, '0.9.0');
}

test('a release sets the version everywhere, moves the notes and makes a tag', (t) => {
  const { directory, git, read, release } = newProject(t);
  const first = git('rev-parse', 'HEAD');
  const days = [new Date()];
  const { status, stderr } = release('minor');
  days.push(new Date());
  assert.equal(status, 0, stderr);
  assert.equal(git('status', '--porcelain'), '');

  for (const file of versionedFiles(directory))
    for (const version of versionsIn(file, read(file))) assert.equal(version, '0.10.0', file);
  assert.equal(JSON.parse(read('pulumi/package.json')).peerDependencies['@vauban/client'], '^0.10.0');
  const headings = days.map((day) => `## 0.10.0 (${day.toISOString().slice(0, 10)})`);
  const changelogs = headings.map((heading) =>
    CHANGELOG.replace('## Unreleased\n', `## Unreleased\n\n${heading}\n`),
  );
  assert.ok(changelogs.includes(read('CHANGELOG.md')), read('CHANGELOG.md'));

  assert.equal(git('cat-file', '-t', 'v0.10.0'), 'tag');
  const message = git('tag', '--list', '--format=%(contents)', 'v0.10.0');
  assert.equal(message, 'Vauban 0.10.0\n\n### Added\n\n- One.');
  assert.equal(git('show', 'v0.10.0:made.json'), '0.10.0', 'what is generated has the version');
  assert.equal(git('rev-parse', 'v0.10.0^{}^'), first);
  // The sources for upgrade tests are kept after the tag.
  assert.equal(git('rev-parse', 'HEAD^'), git('rev-parse', 'v0.10.0^{}'));
  assert.equal(git('diff', '--name-only', 'v0.10.0'), 'kept');
  assert.equal(read('kept'), '0.10.0v0.10.0');
});

test('a dry run shows the steps and the heading, and changes nothing', (t) => {
  const project = newProject(t);
  const before = project.state();
  const { status, stdout } = project.release('major', '--dry-run');
  assert.equal(status, 0);
  assert.deepEqual(project.state(), before);
  assert.doesNotMatch(stdout, /would refuse/);
  assert.match(stdout, /^would do: npm run check$/m);
  assert.match(stdout, /^would do: tag v1\.0\.0$/m);
  assert.match(stdout, /^## 1\.0\.0 \(\d{4}-\d\d-\d\d\)$/m);
});

test('a dry run prints every reason to refuse', (t) => {
  const project = newProject(t, { changelog: '# Changelog\n\n## Unreleased\n' });
  project.git('switch', '--quiet', '--create', 'topic');
  project.git('tag', 'v0.9.1');
  project.write('new.txt', 'x');
  const before = project.state();
  const { status, stdout } = project.release('--dry-run', 'patch');
  assert.equal(status, 0);
  assert.deepEqual(project.state(), before);
  for (const reason of [/branch is topic/, /has changes/, /v0\.9\.1 exists/, /nothing under "Unreleased"/])
    assert.match(stdout, reason);
  assert.match(stdout, /^## 0\.9\.1 \(/m);
});

test('a tree with changes is refused, whether the file is tracked or new', (t) => {
  const project = newProject(t);
  project.write('new.txt', 'x');
  assertRefused(project, /has changes/, 'patch');
  project.git('add', 'new.txt');
  assertRefused(project, /has changes/, 'patch');
});

test('another branch than main is refused, and so is none', (t) => {
  const project = newProject(t);
  project.git('switch', '--quiet', '--create', 'topic');
  assertRefused(project, /branch is topic: switch to main/, 'patch');
  project.git('switch', '--quiet', '--detach', 'main');
  assertRefused(project, /branch is none: switch to main/, 'patch');
});

test('a check that fails stops the release before anything is changed', (t) => {
  assertRefused(newProject(t, { check: 'exit 3' }), /npm run check failed: nothing was changed/, 'minor');
});

test('a check that changes files stops the release', (t) => {
  const project = newProject(t, { check: writes('left.txt') });
  const { status, stderr } = project.release('minor');
  assert.equal(status, 1);
  assert.match(stderr, /npm run check changed files/);
  assert.equal(project.git('tag'), '');
});

test('a changelog with nothing new is refused', (t) => {
  const project = newProject(t, { changelog: CHANGELOG.replace('- One.\n', '') });
  assertRefused(project, /nothing under "Unreleased"/, 'minor');
});

test('a tag that exists is refused', (t) => {
  const project = newProject(t);
  project.git('tag', 'v0.10.0');
  assertRefused(project, /v0\.10\.0 exists already/, 'minor');
});

test('an unknown kind of release prints the usage', (t) => {
  const project = newProject(t);
  for (const words of [[], ['0.10.0'], ['minor', 'patch'], ['--force', 'minor'], ['Minor', '--dry-run']])
    assertRefused(project, /usage|Unknown option/, ...words);
});
