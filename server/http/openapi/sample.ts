import assert from 'node:assert/strict';
import type { TSchema } from '../../platform/schema.ts';
import type { JsonSchema } from './document.ts';

/**
 * Returns a value that fits the schema: its own example if it has one, otherwise composed of its parts. An object has
 * its required fields, or its first one if none is required. A string or number needs an explicit example, because
 * readers copy what they see there.
 */
export function sample(typeboxSchema: TSchema): unknown {
  return sampleOf(typeboxSchema as JsonSchema);
}

function sampleOf(schema: JsonSchema): unknown {
  if (schema.examples?.length) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum?.length) return schema.enum[0];
  if (schema.default !== undefined) return schema.default;
  const choice = schema.anyOf?.[0] ?? schema.oneOf?.[0];
  if (choice) return sampleOf(choice);

  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object':
      return sampleObject(schema);
    case 'array':
      return schema.items ? [sampleOf(schema.items)] : [];
    case 'integer':
    case 'number':
      return assert.fail(`a number needs an example: ${JSON.stringify(schema)}`);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      assert.equal(schema.format, 'date-time', `a text needs an example: ${JSON.stringify(schema)}`);
      return '2026-01-31T12:00:00.000Z';
  }
}

function sampleObject({ properties = {}, required = [] }: JsonSchema): Record<string, unknown> {
  const names = Object.keys(properties).filter((name, index) =>
    required.length > 0 ? required.includes(name) : index === 0,
  );
  return Object.fromEntries(names.map((name) => [name, sampleOf(properties[name]!)]));
}
