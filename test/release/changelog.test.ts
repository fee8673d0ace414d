import assert from 'node:assert/strict';
import { test } from 'node:test';
import { notesUnder, releaseChangelog } from '../../scripts/release/changelog.ts';

const HEADING = '## 0.10.0 (2026-12-01)';
const BEFORE = '# Changelog\n\nNewest first.\n\n';
const OLDER = '## 0.9.0 (2026-11-27)\n\n- Old.\n';

test('unreleased lines move under the heading of the version, above older versions', () => {
  const notes = '### Breaking\n\n- One.\n\n### Added\n\n- Two, which mentions\n  ## Unreleased.';
  const released = releaseChangelog(`${BEFORE}## Unreleased\n\n${notes}\n\n${OLDER}`, HEADING);
  assert.equal(released, `${BEFORE}## Unreleased\n\n${HEADING}\n\n${notes}\n\n${OLDER}`);
  assert.equal(notesUnder(released, HEADING), notes);
  assert.equal(notesUnder(released, '## Unreleased'), '');
});

test('the first release has nothing below it', () => {
  const released = releaseChangelog(`${BEFORE}## Unreleased\n- One.\n`, HEADING);
  assert.equal(released, `${BEFORE}## Unreleased\n\n${HEADING}\n\n- One.\n`);
});

test('a changelog of headings only has nothing to release', () => {
  for (const notes of ['', '\n\n', '### Added\n\n### Changed\n'])
    assert.throws(
      () => releaseChangelog(`${BEFORE}## Unreleased\n${notes}${OLDER}`, HEADING),
      /nothing under/,
    );
});

test('a changelog without the heading is not released', () => {
  for (const text of [
    '',
    BEFORE + OLDER,
    `${BEFORE}### Unreleased\n\n- One.\n`,
    `${BEFORE}## Unreleased soon\n\n- One.\n`,
  ])
    assert.throws(() => releaseChangelog(text, HEADING), /no heading "## Unreleased"/);
});
