import assert from 'node:assert/strict';
import { decode, ExtData, ExtensionCodec, encode } from '@msgpack/msgpack';
import type { Call } from './process.ts';

/** A value that is known only after the apply. */
export const UNKNOWN = new ExtData(0, new Uint8Array(1));

const extensionCodec = new ExtensionCodec();
extensionCodec.register({
  type: 0,
  encode: (value) => (value === UNKNOWN ? new Uint8Array(1) : null),
  decode: () => UNKNOWN,
});

export type Value = Record<string, unknown>;
const pack = (value: Value | null) => ({ msgpack: encode(value, { extensionCodec }) });
const unpack = (dynamic: unknown) =>
  decode((dynamic as { msgpack: Uint8Array }).msgpack, { extensionCodec }) as Value | null;

interface Attribute {
  name: string;
  type: Uint8Array;
  required: boolean;
  optional: boolean;
  computed: boolean;
  sensitive: boolean;
  nested_type: { attributes: Attribute[] } | null;
}

interface Diagnostic {
  severity: 'ERROR' | 'WARNING';
  summary: string;
  detail: string;
  attribute: { steps: { attribute_name: string }[] } | null;
}

/** The error of a refused call. */
export class Refused extends Error {
  readonly attribute: string | undefined;
  /** The resource that is stored despite the refusal. */
  readonly resource: Resource | undefined;

  constructor(diagnostics: Diagnostic[], resource?: Resource) {
    super(diagnostics.map(({ summary, detail }) => `${summary}\n${detail}`).join('\n'));
    this.attribute = diagnostics[0]?.attribute?.steps[0]?.attribute_name;
    this.resource = resource;
  }
}

/** A resource as Terraform stores it. */
export interface Resource {
  type: string;
  state: Value;
  private: Uint8Array;
}

export interface Plan {
  type: string;
  action: 'create' | 'update' | 'replace' | 'delete' | 'none';
  prior: Resource | undefined;
  config: Value | null;
  planned: Value | null;
  private: Uint8Array;
  replaces: string[];
  warnings: string[];
}

/** Acts like Terraform on one resource, and holds the provider to Terraform's rules. */
export class Engine {
  readonly #call: Call;
  readonly #schemas: { resource: Record<string, Attribute[]>; data: Record<string, Attribute[]> };
  readonly providerSchema: Attribute[];

  private constructor(call: Call, schemas: Value) {
    this.#call = call;
    const attributesOf = (some: unknown) =>
      Object.fromEntries(
        Object.entries(some as Record<string, { block: { attributes: Attribute[] } }>).map(([name, one]) => [
          name,
          one.block.attributes,
        ]),
      );
    this.#schemas = {
      resource: attributesOf(schemas.resource_schemas),
      data: attributesOf(schemas.data_source_schemas),
    };
    this.providerSchema = (schemas.provider as { block: { attributes: Attribute[] } }).block.attributes;
  }

  static async start(call: Call, config: Value = {}): Promise<Engine> {
    const engine = new Engine(call, await call('GetProviderSchema', {}));
    await engine.#ask('ConfigureProvider', { config: pack(whole(engine.providerSchema, config)) });
    return engine;
  }

  get types(): string[] {
    return Object.keys(this.#schemas.resource);
  }

  async #ask(method: string, request: Value): Promise<Value> {
    const response = await this.#call(method, request);
    const errors = (response.diagnostics as Diagnostic[]).filter(({ severity }) => severity === 'ERROR');
    if (errors.length > 0) throw new Refused(errors);
    return response;
  }

  async validate(type: string, given: Value): Promise<void> {
    const config = pack(whole(this.#schemas.resource[type]!, given));
    await this.#ask('ValidateResourceConfig', { type_name: type, config });
  }

  /** Returns the plan of a resource; without a configuration, the plan of its deletion. */
  async plan(type: string, given: Value | null, before?: Resource): Promise<Plan> {
    if (given) await this.validate(type, given);
    const schema = this.#schemas.resource[type]!;
    const config = given && whole(schema, given);
    const prior = before && (await this.refresh(before));
    const first = await this.#planFrom(type, config, prior);
    const replaces = (first.requires_replace as { steps: { attribute_name: string }[] }[]).map(
      ({ steps }) => steps[0]!.attribute_name,
    );
    const isNew = replaces.length > 0;
    const response = isNew ? await this.#planFrom(type, config, undefined) : first;
    const planned = unpack(response.planned_state);
    if (config) keepsWhatIsGiven(schema, config, planned!);
    const same = prior && planned && JSON.stringify(planned) === JSON.stringify(prior.state);
    const action = !planned ? 'delete' : !prior ? 'create' : isNew ? 'replace' : same ? 'none' : 'update';
    const warnings = (response.diagnostics as Diagnostic[]).map(({ summary }) => summary);
    const { planned_private } = response as { planned_private: Uint8Array };
    return { type, action, prior, config, planned, private: planned_private, replaces, warnings };
  }

  #planFrom(type: string, config: Value | null, prior: Resource | undefined): Promise<Value> {
    return this.#ask('PlanResourceChange', {
      type_name: type,
      prior_state: pack(prior?.state ?? null),
      proposed_new_state: pack(config && proposed(this.#schemas.resource[type]!, config, prior?.state)),
      config: pack(config),
      prior_private: prior?.private ?? new Uint8Array(),
    });
  }

  /** Applies a plan and checks that nothing is left to do afterwards. */
  async apply(plan: Plan): Promise<Resource | undefined> {
    const { config, type } = plan;
    if (plan.action === 'replace') {
      await this.applyOnce({ ...plan, action: 'delete', config: null, planned: null });
      return this.apply({ ...plan, action: 'create', prior: undefined, replaces: [] });
    }
    const resource = await this.applyOnce(plan);
    if (!plan.planned) {
      assert.equal(resource, undefined);
      return undefined;
    }
    const schema = this.#schemas.resource[type]!;
    for (const { name } of schema) {
      const wanted: unknown = plan.planned[name];
      const got: unknown = resource!.state[name];
      if (!isOpen(wanted)) assert.deepEqual(got, wanted, `${type}.${name} is not as planned`);
      assert.ok(!isOpen(got), `${type}.${name} is unknown after the apply`);
    }
    const stored = await this.restart(resource!);
    const again = await this.plan(type, config, stored);
    assert.equal(again.action, 'none', `${type} has a difference after the apply: ${difference(again)}`);
    return again.prior;
  }

  /** Applies a plan without checking whether anything is left to do. */
  async applyOnce({ type, prior, planned, config, private: secret }: Plan): Promise<Resource | undefined> {
    const response = await this.#call('ApplyResourceChange', {
      type_name: type,
      prior_state: pack(prior?.state ?? null),
      planned_state: pack(planned),
      config: pack(config),
      planned_private: secret,
    });
    const state = unpack(response.new_state);
    const resource = state ? { type, state, private: response.private as Uint8Array } : undefined;
    const diagnostics = response.diagnostics as Diagnostic[];
    if (diagnostics.length > 0) throw new Refused(diagnostics, resource);
    return resource;
  }

  async make(type: string, config: Value, prior?: Resource): Promise<Resource> {
    return (await this.apply(await this.plan(type, config, prior)))!;
  }

  async destroy(resource: Resource): Promise<void> {
    await this.apply(await this.plan(resource.type, null, resource));
  }

  async refresh({ type, state, private: secret }: Resource): Promise<Resource | undefined> {
    const response = await this.#ask('ReadResource', {
      type_name: type,
      current_state: pack(state),
      private: secret,
    });
    const fresh = unpack(response.new_state);
    return fresh ? { type, state: fresh, private: response.private as Uint8Array } : undefined;
  }

  /** Returns a resource after it was written to a file and read again. */
  async restart({ type, state, private: secret }: Resource): Promise<Resource> {
    const raw_state = { json: Buffer.from(JSON.stringify(state)) };
    const response = await this.#ask('UpgradeResourceState', { type_name: type, version: 0, raw_state });
    const read = unpack(response.upgraded_state)!;
    assert.deepEqual(read, state);
    return { type, state: read, private: secret };
  }

  async import(type: string, id: string): Promise<Resource | undefined> {
    const response = await this.#ask('ImportResourceState', { type_name: type, id });
    const [one] = response.imported_resources as { state: unknown; private: Uint8Array }[];
    return this.refresh({ type, state: unpack(one!.state)!, private: one!.private });
  }

  async read(type: string, given: Value): Promise<Value> {
    const config = pack(whole(this.#schemas.data[type]!, given));
    await this.#ask('ValidateDataResourceConfig', { type_name: type, config });
    return unpack((await this.#ask('ReadDataSource', { type_name: type, config })).state)!;
  }
}

const isOpen = (value: unknown) => value === UNKNOWN;

/** Returns all attributes in the order of the schema; missing ones are null, and sets are sorted. */
function whole(schema: Attribute[], given: Value): Value {
  const unnamed = Object.keys(given).filter((name) => !schema.some((one) => one.name === name));
  assert.deepEqual(unnamed, [], 'no such attribute');
  return Object.fromEntries(
    schema.map(({ name, nested_type, type }) => {
      const value = given[name] ?? null;
      if (nested_type && value && !isOpen(value))
        return [name, whole(nested_type.attributes, value as Value)];
      const isSet = Buffer.from(type).toString().startsWith('["set"');
      return [name, isSet && Array.isArray(value) ? [...value].sort() : value];
    }),
  );
}

/** Returns Terraform's proposed state: the configuration, and the previous values of computed attributes. */
function proposed(schema: Attribute[], config: Value, prior: Value | undefined): Value {
  return Object.fromEntries(
    schema.map(({ name, computed }) => [name, config[name] ?? (computed ? (prior?.[name] ?? null) : null)]),
  );
}

function keepsWhatIsGiven(schema: Attribute[], config: Value, planned: Value): void {
  for (const { name, computed } of schema) {
    if (config[name] === null && computed) continue;
    assert.deepEqual(planned[name], config[name], `the plan changes ${name}`);
  }
}

function difference({ prior, planned }: Plan): string {
  const names = Object.keys(planned!).filter(
    (name) => JSON.stringify(planned![name]) !== JSON.stringify(prior!.state[name]),
  );
  return names.map((name) => `${name}: ${prior!.state[name]} → ${planned![name]}`).join(', ');
}
