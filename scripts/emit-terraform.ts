import type {
  JsonSchema,
  OpenApiDocument,
  Operation,
  Parameter,
  Response,
} from '../server/http/openapi/document.ts';
import { resolve } from '../server/http/openapi/document.ts';
import { DATA_SOURCES, type KindPlan, RESOURCES, TIMEOUTS } from './terraform-kinds.ts';

/** An attribute as the provider reads it; `terraform/tables.go` documents each field. */
export interface TerraformAttribute {
  name: string;
  type: 'string' | 'number' | 'bool' | 'set' | 'list' | 'object' | 'objects';
  attributes?: TerraformAttribute[];
  description?: string;
  required?: true;
  optional?: true;
  computed?: true;
  sensitive?: true;
  create?: true;
  update?: true;
  in_place?: true;
  unread?: true;
  from?: string;
  values?: string[];
  minimum?: number;
  maximum?: number;
  text_or_number?: true;
}

interface Place {
  method: string;
  path: string;
  operation: Operation;
}

const SECRETS = ['password', 'user_data'];

/** Returns the provider's resources and data sources, derived from the customer API's operations. */
export function emitTerraform(document: OpenApiDocument): string {
  const emitter = new Emitter(document);
  const tables = {
    resources: RESOURCES.map((plan) => emitter.resource(plan)),
    data_sources: DATA_SOURCES.map((plan) => emitter.dataSource(plan)),
  };
  return `${JSON.stringify(tables, null, 1)}\n`;
}

class Emitter {
  readonly #document: OpenApiDocument;

  constructor(document: OpenApiDocument) {
    this.#document = document;
  }

  resource(plan: KindPlan) {
    const create = this.#find(plan.create!);
    const answered = this.#answer(create.operation, plan.answer);
    const request = this.#body(create.operation);
    const updated = plan.update ? this.#body(this.#find(plan.update).operation) : {};
    const own = [...(plan.more ?? []), TIMEOUTS];
    const left = new Set([...(plan.omit ?? []), ...own.map(({ name }) => name)]);
    const names = [
      ...new Set([...Object.keys(request.properties ?? {}), ...Object.keys(answered.properties!)]),
    ];
    const attributes = names
      .filter((name) => !left.has(name))
      .map((name) => this.#attribute(plan, name, { request, answered, updated }));
    const parents = variablesOf(create.path).map((name) => parent(name));
    return {
      name: plan.name,
      description: this.#about(answered, create.operation),
      attributes: [...parents, ...attributes, ...own],
      create: placeOf(create),
      read: placeOf(this.#find(plan.read)),
      ...(plan.update && { update: placeOf(this.#find(plan.update)) }),
      delete: placeOf(this.#find(plan.delete!)),
      ...(plan.answer && { answer: plan.answer }),
      ...(this.#isList(plan.read) && { in_list: true }),
    };
  }

  dataSource(plan: KindPlan) {
    const read = this.#find(plan.read);
    const data = this.#answer(read.operation);
    const schema = data.items ? this.#resolve(data.items) : data;
    const shown = plan.items ? { [plan.items]: schema.properties![plan.items]! } : schema.properties!;
    const query = plan.findBy ? [] : this.#query(read.operation);
    const given = query.map(({ name, schema, required, description }) => ({
      ...this.#typed(name, { description, ...schema }, 'given'),
      ...(required ? { required } : { optional: true as const }),
    }));
    const findBy = plan.findBy ?? [];
    const computed = Object.entries(shown)
      .filter(([name]) => !given.some((one) => one.name === name) && !plan.omit?.includes(name))
      .map(([name, one]) => ({
        ...this.#typed(name, one, 'answered'),
        ...(findBy.includes(name) && { optional: true as const }),
      }));
    return {
      name: plan.name,
      description: read.operation.summary,
      attributes: [...variablesOf(read.path).map((name) => parent(name)), ...given, ...computed],
      read: placeOf(read),
      ...(plan.items && { items: plan.items }),
      ...(query.length > 0 && { query: query.map(({ name }) => name) }),
      ...(plan.findBy && { find_by: findBy }),
    };
  }

  #attribute(
    plan: KindPlan,
    name: string,
    { request, answered, updated }: Record<'request' | 'answered' | 'updated', JsonSchema>,
  ): TerraformAttribute {
    const asked = request.properties?.[name];
    const from = plan.from?.[name];
    const seen = answered.properties?.[from ?? name];
    if (!asked) return this.#typed(name, seen!, 'answered');
    const isRequired = request.required?.includes(name);
    // The service fills in the value. A nullable one stays null instead.
    const isFilled = !isRequired && seen !== undefined && !this.#isNullable(seen);
    return {
      ...this.#typed(name, asked, 'given'),
      ...(isRequired ? { required: true } : { optional: true }),
      ...(isFilled && { computed: true }),
      ...(SECRETS.includes(name) && { sensitive: true }),
      create: true,
      ...(updated.properties?.[name] && { update: true }),
      ...(from && { from }),
      ...(seen === undefined && { unread: true }),
    };
  }

  /** Returns an attribute's type and possible values; with `answered`, it and everything in it is computed. */
  #typed(name: string, schema: JsonSchema, side: 'given' | 'answered'): TerraformAttribute {
    const choices = this.#choices(schema);
    const [first] = choices as [JsonSchema, ...JsonSchema[]];
    const isMixed = choices.some(({ type }) => type === 'integer') && choices.length > 1;
    const type = isMixed ? 'string' : [first.type ?? 'object'].flat()[0];
    const items = first.items && this.#resolve(first.items);
    const isObject = type === 'object' || items?.type === 'object';
    const about = (schema.description ?? first.description)?.replace(/\s+/g, ' ');
    return {
      name,
      type: isObject
        ? items
          ? 'objects'
          : 'object'
        : ({ integer: 'number', boolean: 'bool', array: side === 'given' ? 'set' : 'list' }[type as string] ??
          'string'),
      ...(isObject && { attributes: this.#inner(items ? [items] : choices, side) }),
      ...(about && { description: about }),
      ...(side === 'answered' && { computed: true }),
      ...(side === 'given' && this.#limits(first)),
      ...(isMixed && { text_or_number: true }),
    } as TerraformAttribute;
  }

  #inner(choices: JsonSchema[], side: 'given' | 'answered'): TerraformAttribute[] {
    return choices.flatMap((choice) =>
      Object.entries(choice.properties ?? {}).map(([name, schema]) => ({
        ...this.#typed(name, schema, side),
        ...(side === 'given' &&
          (choices.length === 1 && choice.required?.includes(name)
            ? { required: true as const }
            : { optional: true as const })),
      })),
    );
  }

  #limits({ enum: values, minimum, maximum }: JsonSchema) {
    return {
      ...(values && { values: values.filter((value) => value !== null) as string[] }),
      ...(minimum !== undefined && { minimum }),
      ...(maximum !== undefined && { maximum }),
    };
  }

  /** Returns the alternatives of a schema, except null. */
  #choices(schema: JsonSchema): JsonSchema[] {
    const found = this.#resolve(schema);
    const choices = found.anyOf ?? found.oneOf;
    if (!choices) return found.type === 'null' ? [] : [found];
    return choices.flatMap((one) => this.#choices(one));
  }

  #isNullable(schema: JsonSchema): boolean {
    const { type, anyOf } = this.#resolve(schema);
    return [type].flat().includes('null') || (anyOf ?? []).some((one) => this.#isNullable(one));
  }

  #resolve(schema: JsonSchema): JsonSchema {
    return resolve(this.#document, 'schemas', schema) as JsonSchema;
  }

  #find(operationId: string): Place {
    for (const [path, methods] of Object.entries(this.#document.paths))
      for (const [method, operation] of Object.entries(methods))
        if (operation.operationId === operationId) return { method: method.toUpperCase(), path, operation };
    throw new Error(`There is no operation ${operationId}: see scripts/terraform-kinds.ts`);
  }

  #body({ requestBody }: Operation): JsonSchema {
    return this.#resolve(requestBody!.content['application/json']!.schema);
  }

  #answer({ responses }: Operation, field?: string): JsonSchema {
    const { content } = resolve(this.#document, 'responses', responses['200']!) as Response;
    const data = this.#resolve(content['application/json']!.schema.properties!.data!);
    return field ? this.#resolve(data.properties![field]!) : data;
  }

  #isList(operationId: string): boolean {
    return this.#answer(this.#find(operationId).operation).type === 'array';
  }

  #query({ parameters }: Operation): Parameter[] {
    return parameters
      .map((parameter) => resolve(this.#document, 'parameters', parameter) as Parameter)
      .filter((parameter) => parameter.in === 'query');
  }

  #about({ description }: JsonSchema, { summary }: Operation): string {
    return description ?? summary;
  }
}

/** Attribute names of path variables: the last variable of a path to a single thing is its `id`. */
const PARENTS: Record<string, string> = { vm: 'vm_id', tenants: 'tenant_id', targets: 'target_id' };

function named(path: string): string {
  return path.replace(/([^/]+)\/\{\w+\}(\/?)/g, (_, segment: string, more: string) => {
    const name = more ? PARENTS[segment] : 'id';
    if (!name) throw new Error(`There is no name for the variable after ${segment} in ${path}`);
    return `${segment}/{${name}}${more}`;
  });
}

const placeOf = ({ method, path }: Place) => ({ method, path: named(path) });

const variablesOf = (path: string) => [...named(path).matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);

function parent(name: string): TerraformAttribute {
  const description = `Identifier of the ${name.replace('_id', '').replace('vm', 'VM')} it belongs to`;
  // An account usually has a single shield tenant and need not name it.
  if (name !== 'tenant_id') return { name, type: 'string', required: true, description };
  return { name, type: 'string', optional: true, computed: true, description };
}
