import { componentName, type JsonSchema, type Parameter } from '../../server/http/openapi/document.ts';
import { type Html, html, join, type Part } from './html.ts';
import { objectUrl } from './links.ts';
import { inlineMarkdown } from './markdown.ts';

interface Field {
  name: string;
  schema: JsonSchema;
  description: string | undefined;
  /** A word next to the type, such as "required". */
  note: Html | undefined;
}

const REQUIRED = html`<span class="required">required</span>`;
const OPTIONAL = html`<span class="type">may be absent</span>`;

/** Renders the parameters of one kind, such as those of the query. */
export function parameterList(parameters: readonly Parameter[]): Html {
  return fieldList(
    parameters.map(({ name, schema, description, required }) => ({
      name,
      schema,
      description,
      note: required ? REQUIRED : undefined,
    })),
  );
}

/** Renders the fields of a request: those not marked "required" are optional. */
export function inputFields(schema: JsonSchema): Html {
  return fieldList(fieldsOf(schema, true), true);
}

/** Renders the fields of a reply: those that may be absent, as in the details of an error, are marked. */
export function outputFields(schema: JsonSchema): Html {
  return fieldList(fieldsOf(schema, false));
}

function fieldsOf({ properties = {}, required = [] }: JsonSchema, isInput: boolean): Field[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    description: schema.description,
    note: isInput === required.includes(name) ? (isInput ? REQUIRED : OPTIONAL) : undefined,
  }));
}

function fieldList(fields: readonly Field[], isInput = false): Html {
  return html`<ul class="fields">${fields.map((field) => fieldItem(field, isInput))}</ul>`;
}

function fieldItem({ name, schema, description, note }: Field, isInput: boolean): Html {
  const rules = constraints(schema);
  const nested = nestedObject(schema);
  return html`<li>
<div><code class="field">${name}</code> <span class="type">${typeName(schema)}</span>${note && [' ', note]}</div>
${description && html`<p>${inlineMarkdown(description)}</p>`}
${rules.length > 0 && html`<p class="rules">${join(rules, ' · ')}</p>`}
${nested && fieldList(fieldsOf(nested, isInput), isInput)}</li>`;
}

/**
 * Returns the object whose fields are listed below this one. A named schema does not count, because it has its own
 * section.
 */
function nestedObject(schema: JsonSchema): JsonSchema | undefined {
  if (schema.properties) return schema;
  const inner = schema.items || mapValues(schema);
  if (inner) return nestedObject(inner);
  return schema.anyOf?.map(nestedObject).find((found) => found !== undefined);
}

/** The schema of every value, if the object is a map with arbitrary names. */
function mapValues({ additionalProperties }: JsonSchema): JsonSchema | undefined {
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

/** Describes a type in words, such as "string or null" or "array of Vm", with a link to the named schema. */
export function typeName(schema: JsonSchema): Part {
  if (schema.$ref) {
    const name = componentName(schema.$ref);
    return html`<a href="${objectUrl(name)}">${name}</a>`;
  }
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return join(choices.map(typeName), ' or ');
  const values = mapValues(schema);
  if (values) return ['map of ', typeName(values)];
  if (schema.items) {
    const list = ['array of ', typeName(schema.items)];
    return Array.isArray(schema.type) ? [...list, ' or null'] : list;
  }
  const types = schema.type === undefined ? ['any'] : [schema.type].flat();
  return `${types.join(' or ')}${schema.format === undefined ? '' : ` (${schema.format})`}`;
}

export function valuesOf(schema: JsonSchema): Html | false {
  return schema.enum !== undefined && html`<p class="rules">${join(constraints(schema), ' · ')}</p>`;
}

/** Returns the constraints on a value, each as a short phrase. */
function constraints(schema: JsonSchema): Part[] {
  const values = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
  return [
    values.length > 0 && ['one of ', join(values.map(code), ' ')],
    range(schema.minimum, schema.maximum, ''),
    range(schema.minLength, schema.maxLength, ' characters'),
    range(schema.minItems, schema.maxItems, ' items'),
    schema.pattern !== undefined && ['matches ', html`<code>${schema.pattern}</code>`],
    schema.default !== undefined && ['default ', code(schema.default)],
    ...(schema.items && !schema.items.$ref ? constraints(schema.items).map((rule) => ['each ', rule]) : []),
  ].filter((rule) => rule !== false && rule !== undefined);
}

function code(value: unknown): Html {
  return html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`;
}

function range(least: number | undefined, most: number | undefined, unit: string): string | undefined {
  if (least === 1 && most === undefined && unit !== '') return 'not empty';
  if (least !== undefined && most !== undefined)
    return least === most ? `${least}${unit}` : `${least} to ${most}${unit}`;
  if (most !== undefined) return `at most ${most}${unit}`;
  return least === undefined ? undefined : `at least ${least}${unit}`;
}
