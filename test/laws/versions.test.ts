import assert from 'node:assert/strict';
import { test } from 'node:test';
import { versionedFiles, versionsIn } from '../../scripts/release/versions.ts';
import { OPERATOR_ENDPOINTS } from '../../server/endpoints/operator/index.ts';
import { PANEL_ENDPOINTS } from '../../server/endpoints/panel/index.ts';
import { buildOpenApi } from '../../server/http/openapi/build-openapi.ts';
import { OPERATOR_DESCRIPTION } from '../../server/http/openapi/operator.ts';
import { PANEL_DESCRIPTION } from '../../server/http/openapi/panel.ts';
import { projectFiles, REPOSITORY, read, VERSION } from '../support/source.ts';

const files = versionedFiles(REPOSITORY);

for (const file of files) {
  test(`${file} has the version of the root package`, () => {
    const versions = versionsIn(file, read(file));
    assert.ok(versions.length > 0);
    for (const found of versions) assert.equal(found, VERSION);
  });
}

test('every package of the project gets the version of a release', () => {
  const packages = projectFiles().filter((path) => /(^|\/)package(-lock)?\.json$/.test(path));
  assert.deepEqual(
    packages.filter((path) => !files.includes(path)),
    [],
  );
});

test('the description of the customers keeps the version of its specification, those of the service have its own', () => {
  assert.equal(JSON.parse(read('openapi.json')).info.version, '1.0.0');
  assert.equal(buildOpenApi(OPERATOR_DESCRIPTION, OPERATOR_ENDPOINTS).info.version, VERSION);
  assert.equal(buildOpenApi(PANEL_DESCRIPTION, PANEL_ENDPOINTS).info.version, VERSION);
});

test('the changelog begins with the unreleased changes, and has this version next', () => {
  const headings = read('CHANGELOG.md').match(/^## .*$/gm) ?? [];
  assert.equal(headings[0], '## Unreleased');
  assert.ok(headings[1]?.startsWith(`## ${VERSION} (`), headings[1]);
});
