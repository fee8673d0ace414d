import type { ErrorDetails } from './customer.ts';
import { ApiError } from './errors.ts';
import {
  type Arguments,
  type Data,
  type Input,
  type Item,
  type ListName,
  type OperationName,
  placeOf,
} from './operations.ts';

/** The largest page that a list endpoint returns. */
const PAGE = 100;
/** More pages than any account has: a list that never ends is a bug and must not fill the memory. */
const MAX_PAGES = 200;

interface Page<Value> {
  data: Value;
  pagination?: { next_cursor: string | null; has_more: boolean };
}

interface AnyInput {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
}

export interface CallOptions {
  signal?: AbortSignal;
  /** Pass the previous key to repeat a call that may have taken effect. A new key is used by default. */
  idempotencyKey?: string;
}

/** Calls an operation and returns the `data` of its reply. Throws an {@link ApiError}. */
export async function call<Name extends OperationName>(
  name: Name,
  ...[input]: Arguments<Name>
): Promise<Data<Name>> {
  return (await send<Data<Name>>(name, input as AnyInput)).data;
}

export async function callWith<Name extends OperationName>(
  options: CallOptions,
  name: Name,
  ...[input]: Arguments<Name>
): Promise<Data<Name>> {
  return (await send<Data<Name>>(name, input as AnyInput, options)).data;
}

/** Returns one page of a list and the cursor of the next page, null on the last. */
export async function callPage<Name extends ListName>(
  name: Name,
  input: Input<Name>,
  options: CallOptions = {},
): Promise<{ items: Item<Name>[]; next: string | null }> {
  const { data, pagination } = await send<Item<Name>[]>(name, input as AnyInput, options);
  return { items: data, next: pagination?.next_cursor ?? null };
}

/** Returns all pages of a list as one array. */
export async function callAll<Name extends ListName>(
  name: Name,
  input: Input<Name>,
  options: CallOptions = {},
): Promise<Item<Name>[]> {
  const all: Item<Name>[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { query } = input as AnyInput;
    const next: { items: Item<Name>[]; next: string | null } = await callPage(
      name,
      { ...(input as object), query: { limit: PAGE, ...query, ...(cursor && { cursor }) } } as Input<Name>,
      options,
    );
    all.push(...next.items);
    cursor = next.next;
    if (!cursor) break;
  }
  return all;
}

/** Returns the URL of an operation with its parameters, for a link or a stream. */
export function addressOf(name: OperationName, input: AnyInput = {}): string {
  const path = placeOf(name).path.replace(/\{(\w+)\}/g, (_, parameter: string) => {
    const value = input.params?.[parameter];
    if (!value) throw new Error(`${name} needs ${parameter}`);
    return encodeURIComponent(value);
  });
  const given = Object.entries(input.query ?? {}).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  const search = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString();
  return search ? `${path}?${search}` : path;
}

async function send<Value>(
  name: OperationName,
  input: AnyInput = {},
  { signal, idempotencyKey }: CallOptions = {},
): Promise<Page<Value>> {
  const { method, once } = placeOf(name);
  const headers: Record<string, string> = { accept: 'application/json' };
  if (once) headers['idempotency-key'] = idempotencyKey ?? crypto.randomUUID();
  let body: string | undefined;
  if (method !== 'GET' && input.body !== undefined) {
    headers['content-type'] = 'application/json';
    body = JSON.stringify(input.body);
  }
  let response: Response;
  try {
    response = await fetch(addressOf(name, input), { method, headers, body, signal });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new ApiError('unreachable', 'The service cannot be reached.', { cause });
  }
  return answerOf<Value>(response);
}

/** Returns the parsed body of a response. Throws an {@link ApiError} if the request was refused. */
export async function answerOf<Value>(response: Response): Promise<Page<Value>> {
  const requestId = response.headers.get('x-request-id') ?? undefined;
  const text = await response.text();
  let json: unknown;
  try {
    json = text ? JSON.parse(text) : { data: null };
  } catch {
    json = undefined;
  }
  if (response.ok && json) return json as Page<Value>;
  const { error } = (json ?? {}) as { error?: { code: string; message: string; details?: ErrorDetails } };
  throw new ApiError(
    error?.code ?? 'unreachable',
    error?.message ?? `The service answered ${response.status}.`,
    {
      status: response.status,
      details: error?.details,
      requestId,
    },
  );
}
