import { CUSTOMER_OPERATIONS, type CustomerOperations } from './customer.ts';
import type { OperatorOperations } from './operator.ts';
import { PANEL_OPERATIONS, type PanelOperations } from './panel.ts';

/** Every operation that a browser can call: those of the customer API, those that only the panel has, the operator's. */
export type Operations = CustomerOperations & PanelOperations & OperatorOperations;
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

/** What an operation takes. */
export type Input<Name extends OperationName> = Part<Name, 'params'> & Query<Name> & Body<Name>;

/** What an operation answers under `data`. */
export type Data<Name extends OperationName> = Operations[Name] extends { data: infer Value } ? Value : never;

/** Operations that answer a list, page by page. */
export type ListName = {
  [Name in OperationName]: Operations[Name] extends { list: true } ? Name : never;
}[OperationName];

/** An element of what a list answers. */
export type Item<Name extends ListName> = Data<Name> extends (infer Value)[] ? Value : never;

/** The arguments after the name: none where nothing has to be said. */
export type Arguments<Name extends OperationName> =
  Record<string, never> extends Input<Name> ? [input?: Input<Name>] : [input: Input<Name>];

type Places = Record<string, readonly [method: string, path: string, once?: 'once']>;

/** Where the API of this document is, and what it has. */
const api = { prefix: '/panel/api', places: { ...CUSTOMER_OPERATIONS, ...PANEL_OPERATIONS } as Places };

/** Has this document speak to another API, with operations of its own: the operator's pages do, before they are drawn. */
export function speakTo(prefix: string, more: Places): void {
  api.prefix = prefix;
  api.places = { ...api.places, ...more };
}

/** Method and address of an operation; `once` where it takes an Idempotency-Key. */
export function placeOf(name: OperationName): { method: string; path: string; once: boolean } {
  const [method, path, once] = api.places[name]!;
  return { method, path: path.startsWith('/panel/') ? path : api.prefix + path, once: once === 'once' };
}
