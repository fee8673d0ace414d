import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeLines, importsOf, read, sources } from '../support/source.ts';

/** Enough for one complete concept; the linter limits the length of functions. */
const MAX_LINES = 350;

const AMBIENT = [
  { what: 'the wall clock', pattern: /\bDate\.now\(|\bnew Date\(\)/ },
  { what: 'a timer', pattern: /\bset(Timeout|Interval)\(|'(node:)?timers(\/promises)?'/ },
  { what: 'randomness', pattern: /\bMath\.random\(/ },
];

/** Files that may use something that tests cannot control, each with its reason. */
const ALLOWED: Record<string, string> = {
  'server/mail/connection.ts': "a socket's own limit of silence, which the mail library sets",
};

test('time and randomness come from platform, so that a test can control them', () => {
  const offenders = new Map<string, string[]>();
  for (const path of sources('server').filter((path) => !path.startsWith('server/platform/'))) {
    for (const { number, text } of codeLines(path)) {
      for (const { what, pattern } of AMBIENT) {
        if (!pattern.test(text)) continue;
        offenders.set(path, [...(offenders.get(path) ?? []), `${path}:${number} uses ${what}`]);
      }
    }
  }
  const offences = [...offenders].flatMap(([path, lines]) => (path in ALLOWED ? [] : lines));
  assert.deepEqual(offences, []);
  const stale = Object.keys(ALLOWED).filter((path) => !offenders.has(path));
  assert.deepEqual(stale, [], 'exceptions that are no longer needed');
});

test("no file of the service has more than one concept's lines", () => {
  const long = ['server', 'shared', 'sdk', 'cli', 'vaubanctl']
    .flatMap(sources)
    // A migration is a single list of statements, and is never edited once released.
    .filter((path) => !path.startsWith('server/db/migrations/'))
    // Generated from the endpoints: as long as the number of operations requires.
    .filter((path) => !['sdk/src/api.ts', 'shared/api/operator.ts'].includes(path))
    .map((path) => ({ path, lines: read(path).trimEnd().split('\n').length }))
    .filter(({ lines }) => lines > MAX_LINES)
    .map(({ path, lines }) => `${path}: ${lines} lines`);
  assert.deepEqual(long, []);
});

/** Files that write for people in other ways, each with its reason. */
const WRITERS: Record<string, string> = {
  'vaubanctl/output.ts': 'it escapes what others have written, so that all else need not',
  'vaubanctl/save-content.ts': 'a file for bookkeeping, byte by byte as it arrives',
};

test('vaubanctl prints only through its output module', () => {
  const offences = sources('vaubanctl')
    .filter((path) => !Object.hasOwn(WRITERS, path))
    .flatMap((path) => codeLines(path).map((line) => ({ path, ...line })))
    .filter(({ text }) =>
      /\bconsole\.(log|error|warn|info)\(|std(out|err)\.write\(|process\.stdout\b/.test(text),
    )
    .map(({ path, number }) => `${path}:${number}`);
  assert.deepEqual(offences, []);
});

for (const api of ['server/endpoints/customer', 'server/endpoints/operator', 'server/endpoints/panel']) {
  test(`every operation of ${api} is listed, so that it is served, described and probed`, () => {
    const listed = importsOf(`${api}/index.ts`);
    const operations = sources(api).filter((path) => /^ {2}operation: '/m.test(read(path)));
    assert.ok(operations.length > 0);
    assert.deepEqual(
      operations.filter((path) => !listed.includes(path)),
      [],
    );
  });
}
