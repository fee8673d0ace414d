import { readFileSync } from 'node:fs';
import { Ajv, type ErrorObject } from 'ajv';
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import { ConfigError } from './config-error.ts';
import type { Static, TSchema } from './schema.ts';

/** Path of a value in a file: `['plans', 0, 'code']`. */
export type KeyPath = readonly (string | number)[];

export interface YamlFile<T> {
  value: T;
  /** Formats "catalog.yaml:12:11: plans[0].code: `reason`", for rules that a schema cannot express. */
  problem(path: KeyPath, reason: string): string;
}

/** Reads and validates `file`; throws {@link ConfigError} that lists every fault with its line and column. */
export function readYaml<S extends TSchema>(file: string, schema: S): YamlFile<Static<S>> {
  const lines = new LineCounter();
  const document = parseDocument(readText(file), { lineCounter: lines, prettyErrors: false });
  const place = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  const problem = (path: KeyPath, reason: string) =>
    [place(offsetOf(document, path)), formatPath(path), reason].filter(Boolean).join(': ');

  if (document.errors.length > 0) {
    throw new ConfigError(document.errors.map((error) => `${place(error.pos[0])}: ${error.message}`));
  }
  const value = toValue(document, file);
  // The schema is ours, and validating it against its own schema takes more of a start than everything else here.
  const options = {
    allErrors: true,
    verbose: true,
    allowUnionTypes: true,
    validateSchema: false,
    code: { optimize: false },
  };
  const validate = new Ajv(options).compile<Static<S>>(schema);
  if (!validate(value)) {
    throw new ConfigError(validate.errors!.map((error) => problem(pathOf(error), reasonOf(error))));
  }
  return { value, problem };
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError([`${file}: cannot be read: ${(error as Error).message}`]);
  }
}

/** An empty file counts as an empty object. */
function toValue(document: Document, file: string): unknown {
  if (document.contents === null) return {};
  try {
    return document.toJS();
  } catch (error) {
    // An alias without its anchor, or aliases that expand into something huge.
    throw new ConfigError([`${file}: ${(error as Error).message}`]);
  }
}

/** Formats a path as "plans[0].code". */
function formatPath(path: KeyPath): string {
  return path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
}

/** Returns the offset of the key or list item at `path`, or of its nearest ancestor that is present in the file. */
function offsetOf(document: Document, path: KeyPath): number {
  for (let depth = path.length; depth > 0; depth--) {
    const step = path[depth - 1]!;
    const parent = document.getIn(path.slice(0, depth - 1), true);
    const node = isMap(parent)
      ? parent.items.find(({ key }) => isScalar(key) && key.value === step)?.key
      : document.getIn(path.slice(0, depth), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return document.contents?.range?.[0] ?? 0;
}

/** Returns the fault's path. For an unknown key, ajv reports the key separately from the object that contains it. */
function pathOf(error: ErrorObject): KeyPath {
  const path = error.instancePath
    .split('/')
    .slice(1)
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step.replaceAll('~1', '/').replaceAll('~0', '~')));
  return error.keyword === 'additionalProperties' ? [...path, error.params.additionalProperty] : path;
}

function reasonOf(error: ErrorObject): string {
  if (error.keyword === 'additionalProperties') return 'is not a known key';
  if (error.keyword === 'required') return `lacks the key "${error.params.missingProperty}"`;
  if (error.keyword === 'enum') return `must be one of ${error.params.allowedValues.join(', ')}`;
  const meaning = error.parentSchema?.description;
  return meaning ? `${error.message} (${meaning})` : error.message!;
}

/** Returns `schema` as a separate file, which editors use to complete and validate such a YAML file. */
export function jsonSchemaText(schema: TSchema): string {
  return `${JSON.stringify({ $schema: 'http://json-schema.org/draft-07/schema#', ...schema }, null, 2)}\n`;
}
