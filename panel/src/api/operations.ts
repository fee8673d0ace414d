import type { OperatorOperations } from '../../../shared/api/operator.ts';
import { CUSTOMER_OPERATIONS, type CustomerOperations } from './customer.ts';
import { PANEL_OPERATIONS, type PanelOperations } from './panel.ts';

/**
 * Every operation that a browser can call: the customer API's, the panel's own and the operator's. The latter have a
 * prefix, because some have the name of a customers' operation.
 */
export type Operations = CustomerOperations &
  PanelOperations & { [Name in keyof OperatorOperations as `operator.${Name}`]: OperatorOperations[Name] };
export type OperationName = keyof Operations;

type Part<Name extends OperationName, Key extends string> =
  Operations[Name] extends Record<Key, infer Value> ? { [key in Key]: Value } : unknown;
type Query<Name extends OperationName> = Operations[Name] extends { query: infer Value }
  ? Record<string, never> extends Value
    ? { query?: Value }
    : { query: Value }
  : unknown;
type Body<Name extends OperationName> = Operations[Name] extends { body: infer Value }
  ? Record<string, never> extends Value
    ? { body?: Value }
    : { body: Value }
  : unknown;

/** The input of an operation: path parameters, query and body. */
export type Input<Name extends OperationName> = Part<Name, 'params'> & Query<Name> & Body<Name>;

export type Data<Name extends OperationName> = Operations[Name] extends { data: infer Value } ? Value : never;

export type ListName = {
  [Name in OperationName]: Operations[Name] extends { list: true } ? Name : never;
}[OperationName];

export type Item<Name extends ListName> = Data<Name> extends (infer Value)[] ? Value : never;

/** The arguments after the name; the input is optional if the operation requires none. */
export type Arguments<Name extends OperationName> =
  Record<string, never> extends Input<Name> ? [input?: Input<Name>] : [input: Input<Name>];

type Places = Record<string, readonly [method: string, path: string, kind?: 'once' | 'list']>;

/** The API that this document talks to; {@link speakToOperator} changes it. */
const api = { prefix: '/panel/api', places: { ...CUSTOMER_OPERATIONS, ...PANEL_OPERATIONS } as Places };

/** Switches this document to the operator's API and adds its operations, before its pages render. */
export function speakToOperator(places: Places): void {
  api.prefix = '/operator/api';
  for (const [name, place] of Object.entries(places)) api.places[`operator.${name}`] = place;
}

/** Returns the method and path of an operation; `once` means that it takes an Idempotency-Key. */
export function placeOf(name: OperationName): { method: string; path: string; once: boolean } {
  const [method, path, kind] = api.places[name]!;
  return { method, path: path.startsWith('/panel/') ? path : api.prefix + path, once: kind === 'once' };
}
