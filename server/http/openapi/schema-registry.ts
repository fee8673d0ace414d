import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { JsonSchema } from './document.ts';

/** Keywords whose value is data, not a schema. */
const DATA = new Set(['const', 'default', 'discriminator', 'enum', 'examples']);
/** Keywords whose value contains schemas by name. */
const NAMED = new Set(['properties', 'patternProperties']);

/** Names with these units can exceed 2³¹, and client generators use 32-bit integers unless told otherwise. */
const LARGE = /(_minor|_bytes|_packets|bps|pps)$/;

/**
 * Collects the named schemas of the document. A schema with an `$id` is written once, under `components.schemas`, and
 * every use of it becomes a `$ref`. For a named enum, the component contains only what all uses share; the rest, such
 * as description and default, is placed next to each `$ref`.
 */
export class SchemaRegistry {
  readonly #schemas = new Map<string, JsonSchema>();

  /** Returns the TypeBox schema as plain JSON Schema 2020-12, with references to its named schemas. */
  toJson(schema: object): JsonSchema {
    const { $id: name, ...rest } = schema as { $id?: string };
    const entries = Object.entries(modernize(rest)).map(([key, value]) => [key, this.#keyword(key, value)]);
    const plain: JsonSchema = Object.fromEntries(entries);
    if (name === undefined) return plain;
    if (!plain.enum) return this.#named(name, plain);
    const { type, enum: values, ...beside } = plain;
    return { ...this.#named(name, { type, enum: values }), ...beside };
  }

  #named(name: string, plain: JsonSchema): JsonSchema {
    const known = this.#schemas.get(name);
    assert.ok(
      known === undefined || isDeepStrictEqual(known, plain),
      `Two different schemas carry the $id "${name}": a named schema is used as it is, never spread into another`,
    );
    this.#schemas.set(name, plain);
    return { $ref: `#/components/schemas/${name}` };
  }

  /** Returns every named schema met so far, by name. */
  components(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #keyword(key: string, value: unknown): unknown {
    if (DATA.has(key)) return value;
    if (Array.isArray(value)) return value.map((item) => (isObject(item) ? this.toJson(item) : item));
    if (!isObject(value)) return value;
    if (!NAMED.has(key)) return this.toJson(value);
    return Object.fromEntries(
      Object.entries(value).map(([name, schema]) => [name, withFormat(name, this.toJson(schema))]),
    );
  }
}

function withFormat(name: string, schema: JsonSchema): JsonSchema {
  const isInteger = [schema.type].flat().includes('integer');
  return isInteger && LARGE.test(name) ? { format: 'int64', ...schema } : schema;
}

/** TypeBox writes a map with arbitrary keys as a pattern of names. */
function modernize(schema: Record<string, unknown>): Record<string, unknown> {
  const { patternProperties, ...rest } = schema;
  if (isObject(patternProperties) && '^.*$' in patternProperties) {
    return { ...rest, additionalProperties: patternProperties['^.*$'] };
  }
  return schema;
}

function isObject(value: unknown): value is Record<string, object> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
