import type { Client } from '../../../sdk/src/index.ts';
import type { OperationId } from '../command.ts';
import type { Field } from '../fields.ts';
import { INPUTS } from '../inputs.ts';
import type { Session } from '../session.ts';
import type { Confirmations } from './confirmations.ts';

/** Arguments of a tool as JSON Schema. */
export interface Input {
  type: 'object';
  properties: Record<string, object>;
  required: string[];
  additionalProperties: false;
}

/** What a tool works with. */
export interface At {
  session: Session;
  client: Client;
  confirmations: Confirmations;
  /** Whether the assistant is offered the tool of this name. */
  offers(name: string): boolean;
  /** Options of OpenSSH for commands on VMs. */
  ssh: { identity?: string | undefined; option?: string[] | undefined };
  /** Aborts when the call is canceled. */
  signal: AbortSignal;
}

/** What a tool answers. */
export interface Answer {
  /** In this program's own words. Nothing of it is taken from the service or a guest. */
  said?: string;
  /** Whatever comes from the service: it is marked as such, and its size is bounded. */
  data: unknown;
}

/** What a tool may do: look, change what the API has, or run commands on VMs. */
export type Power = 'read' | 'write' | 'command';

/** A task that an assistant can be given. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  /** The scopes that its requests need. */
  scopes: string[];
  power: Power;
  /** True where it costs, or ends what cannot be brought back. */
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

/** The named fields of an operation, as its description has them, behind arguments of the tool's own. */
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

/** The argument that names a VM. */
export const VM = { vm: { type: 'string', minLength: 1, description: 'The hostname or id of a VM' } };

/** How many items of a list are wanted. */
export const LIMIT = {
  limit: { type: 'integer', minimum: 1, maximum: 50, description: 'At most this many; 20', optional: true },
};

/** As many as an answer of a list has where none are asked for. */
export const ITEMS = 20;
