import assert from 'node:assert/strict';
import { isBuiltin } from 'node:module';
import { test } from 'node:test';
import { importsWith, projectFiles, read, sources } from '../support/source.ts';

interface Manifest {
  workspaces?: string[];
  dependencies?: Record<string, string>;
  /** Development dependencies of a workspace that is packed as a bundle: its installation needs none of them. */
  devDependencies?: Record<string, string>;
}

const files = new Set(projectFiles());
const { workspaces = [], dependencies }: Manifest = JSON.parse(read('package.json'));

test('the root has scripts and no run-time dependency', () => {
  assert.equal(dependencies, undefined);
});

for (const workspace of workspaces) {
  test(`${workspace} imports the packages that its package.json names`, () => {
    const { dependencies, devDependencies }: Manifest = JSON.parse(read(`${workspace}/package.json`));
    const named = Object.keys({ ...dependencies, ...devDependencies });
    const imported = new Set(
      sources(workspace)
        .flatMap((file) => importsWith(file))
        .filter(({ by }) => by !== 'type')
        .map(({ target }) => target)
        .filter((target) => !files.has(target) && !isBuiltin(target))
        .map(packageOf),
    );
    const unnamed = [...imported].filter((name) => !named.includes(name));
    assert.deepEqual(unnamed, []);
  });
}

test('every library has its row in docs/dependencies.md', () => {
  const page = read('docs/dependencies.md');
  const libraries = workspaces.flatMap((workspace) => {
    const { dependencies, devDependencies }: Manifest = JSON.parse(read(`${workspace}/package.json`));
    return Object.keys({ ...dependencies, ...devDependencies });
  });
  // A name that looks like a file of ours stands without backticks.
  const isNamed = (name: string) => page.includes(`\`${name}\``) || page.includes(`| ${name} |`);
  const missing = [...new Set(libraries)].filter((name) => !isNamed(name));
  assert.deepEqual(missing, []);
});

/** Returns the package of an import: `@scope/name/part` belongs to `@scope/name`. */
function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
