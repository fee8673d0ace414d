import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emitCurrencies } from '../../scripts/emit-currencies.ts';
import { codeLines, projectFiles, read } from '../support/source.ts';

const FOLDERS = /^(server|shared|sdk|cli|vaubanctl|panel|site|pulumi)\/.*\.(tsx?|js|mjs)$/;
/** The table, and the SDK's copy of it. */
const TABLE = ['shared/currencies.ts', 'sdk/src/currencies.ts'];

/** Files that ask the runtime, each with its reason. */
const ASKERS: Record<string, string> = {
  'server/db/migrations/0047-books-exponent.ts':
    'to know what an older release asked, and stores what the table says',
};

/** Ways to obtain a currency's decimals without the table. */
const DETOURS = [
  {
    what: 'money as the runtime formats it',
    pattern: /style: 'currency'|supportedValuesOf|toLocaleString\(/,
  },
  { what: "the runtime's decimals", pattern: /resolvedOptions\(\)\.(maximum|minimum)FractionDigits/ },
  { what: 'Intl under another name', pattern: /globalThis(\.|\[')Intl|= Intl\b/ },
  {
    what: 'two decimals for every currency',
    pattern: /[mM]inor\w*\)? [*/] 1_?00\b|[*/] 1_?00\)\.toFixed\(2/,
  },
];

test('the decimals of a currency come from the table, in every program', () => {
  const files = projectFiles().filter(
    (path) => FOLDERS.test(path) && ![...TABLE, ...Object.keys(ASKERS)].includes(path),
  );
  assert.ok(files.length > 500);
  const offences = files.flatMap((path) =>
    codeLines(path).flatMap(({ number, text }) =>
      DETOURS.filter(({ pattern }) => pattern.test(text)).map(
        ({ what }) => `${path}:${number} takes ${what}`,
      ),
    ),
  );
  assert.deepEqual(offences, []);
});

test('the linter, which `npm run check` runs, refuses Intl unless a comment says that it only displays', () => {
  const { linter, overrides } = JSON.parse(read('biome.json'));
  const { level, options } = linter.rules.style.noRestrictedGlobals;
  assert.deepEqual([level, Object.keys(options.deniedGlobals)], ['error', ['Intl']]);
  assert.match(JSON.parse(read('package.json')).scripts.check, /^biome check \. /);
  const lenient = (
    overrides as { includes: string[]; linter: { rules: { style?: Record<string, unknown> } } }[]
  )
    .filter(({ linter: { rules } }) => rules.style?.noRestrictedGlobals !== undefined)
    .flatMap(({ includes }) => includes);
  assert.deepEqual(lenient, ['test/**', 'scripts/**', 'bench/**'], 'programs that keep no books');
});

test('no file is excused from that but by a reason at the place', () => {
  const excused = projectFiles()
    .filter(
      (path) => FOLDERS.test(path) && /biome-ignore-all lint\/style\/noRestrictedGlobals/.test(read(path)),
    )
    .toSorted();
  assert.deepEqual(excused, ['panel/src/format.ts']);
});

test("the SDK's table is the one of the service", () => {
  const isCurrent = read('sdk/src/currencies.ts') === emitCurrencies(read('shared/currencies.ts'));
  assert.ok(isCurrent, 'sdk/src/currencies.ts is out of date: run `npm run generate` and commit the result');
});
