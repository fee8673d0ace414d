import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearest, reachedBy } from '../../scripts/testing/changed.ts';
import { testFiles } from '../../scripts/testing/tiers.ts';

const all = testFiles();
const distancesFrom = (...changed: string[]) =>
  new Map(reachedBy(changed, all).map(({ test, distance }) => [test, distance]));

test('a change reaches the tests that import it, directly or not, and no others', () => {
  const reached = distancesFrom('server/domain/tax/countries.ts');
  assert.ok(reached.get('test/tax/tax.test.ts')! < reached.get('test/acceptance/operations.test.ts')!);
  assert.ok(!reached.has('test/platform/cidr.test.ts'));
  assert.equal(reached.get('test/laws/imports.test.ts'), 0, 'laws read every file');
});

test('a change of a type reaches nothing that only imports the type', () => {
  assert.ok(!distancesFrom('server/edge/driver.ts').has('test/platform/ids.test.ts'));
});

test('a file that is no code reaches the tests that name it', () => {
  assert.ok(distancesFrom('deploy/systemd/vauban.service').has('test/deploy/systemd.full.test.ts'));
});

test('a file that was deleted reaches the tests that still name it', () => {
  assert.ok(distancesFrom('docs/a-page-that-is-gone.md').has('test/testing/changed.test.ts'));
});

test('a program that tests start as a process reaches them', () => {
  assert.ok(distancesFrom('scripts/test.ts').has('test/testing/runner.full.test.ts'));
  assert.ok(distancesFrom('scripts/testing/schedule.ts').has('test/testing/runner.full.test.ts'));
});

test('no change reaches nothing, and a change of the packages everything', () => {
  assert.deepEqual(reachedBy([], all), []);
  assert.equal(reachedBy(['package-lock.json'], all).length, all.length);
});

test('the nearest reached tests that fit are run, and changed tests always', () => {
  const reached = [
    { test: 'far', distance: 5 },
    { test: 'long', distance: 1 },
    { test: 'near', distance: 1 },
    { test: 'changed', distance: 0 },
    { test: 'middle', distance: 3 },
  ];
  const seconds: Record<string, number> = { far: 9, long: 40, near: 5, changed: 50, middle: 20 };
  const within = (budget: number) => nearest(reached, budget, (name) => seconds[name]!);
  assert.deepEqual(within(80), ['changed', 'near', 'middle']);
  assert.deepEqual(within(1), ['changed']);
  assert.deepEqual(within(1_000), ['changed', 'near', 'long', 'middle', 'far']);
});
