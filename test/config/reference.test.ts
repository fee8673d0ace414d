import { resolve } from 'node:path';
import { test } from 'node:test';
import { ConfigFileSchema } from '../../server/config/config.ts';
import { configReference } from '../../server/config/config-reference.ts';
import { jsonSchemaText } from '../../server/platform/yaml-file.ts';

const root = resolve(import.meta.dirname, '../..');
const asIs = { serializers: [(text: unknown) => text] };

// After a change of the settings: node --test --test-update-snapshots test/config/reference.test.ts
test('docs/configuration.md describes the current settings', (t) => {
  t.assert.fileSnapshot(configReference(), resolve(root, 'docs/configuration.md'), asIs);
});

test('config.schema.json is the schema that configuration files are checked against', (t) => {
  t.assert.fileSnapshot(jsonSchemaText(ConfigFileSchema), resolve(root, 'config.schema.json'), asIs);
});
