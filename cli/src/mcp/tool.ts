import type { Client } from '../../../sdk/src/index.ts';
import type { OperationId } from '../command.ts';
import type { Field } from '../fields.ts';
import { INPUTS } from '../inputs.ts';
import type { Session } from '../session.ts';
import type { Confirmations } from './confirmations.ts';

/** The arguments of a tool, as JSON Schema. */
export interface Input {
  type: 'object';
  properties: Record<string, object>;
  required: string[];
  additionalProperties: false;
}

/** The environment of a tool call. */
export interface At {
  session: Session;
  client: Client;
  confirmations: Confirmations;
  /** Returns whether the assistant may use the tool with this name. */
  offers(name: string): boolean;
  /** OpenSSH options for commands on VMs. */
  ssh: { identity?: string | undefined; option?: string[] | undefined };
  /** Aborts when the call is canceled. */
  signal: AbortSignal;
}

export interface Answer {
  /** This program's own words. They never contain text from the service or a guest. */
  said?: string;
  /** Data from the service. It is marked as such, and its size is limited. */
  data: unknown;
}

/** The permissions of a tool: reading, changing things through the API, or running commands on VMs. */
export type Power = 'read' | 'write' | 'command';

export interface Tool {
  name: string;
  title: string;
  description: string;
  /** The scopes that its requests need. */
  scopes: string[];
  power: Power;
  /** Set if the tool costs money or destroys data. */
  isDestructive?: true;
  input: Input;
  call(at: At, input: Record<string, unknown>): Promise<Answer>;
}

const TYPES: Record<Field['type'], string[]> = {
  string: ['string'],
  integer: ['integer'],
  boolean: ['boolean'],
  strings: ['array'],
  json: ['object', 'string', 'integer'],
};

function schemaOf({ type, nullable, values, about }: Field): object {
  const types = [...TYPES[type], ...(nullable ? ['null'] : [])];
  return {
    type: types.length === 1 ? types[0] : types,
    ...(type === 'strings' && { items: { type: 'string' } }),
    ...(values && { enum: nullable ? [...values, null] : values }),
    ...(about && { description: about }),
  };
}

/** Returns a JSON Schema with the tool's own arguments and the named fields of an operation. */
export function inputOf(
  own: Record<string, object>,
  operation?: OperationId,
  names: readonly string[] = [],
): Input {
  const properties = { ...own };
  const required = Object.keys(own).filter((name) => !('optional' in own[name]!));
  for (const name of names) {
    const field = INPUTS[operation!].fields[name]!;
    properties[name] = schemaOf(field);
    if (field.required) required.push(name);
  }
  for (const [name, { optional: _, ...schema }] of Object.entries(own) as [string, { optional?: true }][])
    properties[name] = schema;
  return { type: 'object', properties, required, additionalProperties: false };
}

export const VM = { vm: { type: 'string', minLength: 1, description: 'The hostname or id of a VM' } };

export const LIMIT = {
  limit: {
    type: 'integer',
    minimum: 1,
    maximum: 50,
    description: 'Maximum number of items; defaults to 20',
    optional: true,
  },
};

export const ITEMS = 20;
