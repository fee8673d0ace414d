import {
  infiniteQueryOptions,
  QueryClient,
  queryOptions,
  type UseMutationResult,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import { useRef } from 'react';
import { callAll, callPage, callWith } from './client.ts';
import { confirmed } from './confirmation.ts';
import { ApiError } from './errors.ts';
import type { Arguments, Data, Input, ListName, OperationName } from './operations.ts';

/** Attempts at a request that fails for a transient reason. */
const ATTEMPTS = 3;
/** Data younger than this is not refetched when another part of the page shows it too. */
const FRESH_MS = 10_000;

/** Returns the query cache; there is one per tab. */
export function newQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        retry: (failures, error) => failures < ATTEMPTS && error instanceof ApiError && error.isPassing,
      },
      mutations: { retry: false },
    },
  });
}

/** Returns the options of `useQuery` for an operation. */
export function read<Name extends OperationName>(name: Name, ...[input]: Arguments<Name>) {
  return queryOptions({
    queryKey: [name, input ?? {}] as const,
    queryFn: ({ signal }): Promise<Data<Name>> => callWith({ signal }, name, ...([input] as Arguments<Name>)),
  });
}

/** Returns the options of `useQuery` for all pages of a list. */
export function readAll<Name extends ListName>(name: Name, input: Input<Name>) {
  return queryOptions({
    queryKey: [name, 'all', input] as const,
    queryFn: ({ signal }) => callAll(name, input, { signal }),
  });
}

/** Returns the options of `useInfiniteQuery` for a list that loads more pages on scroll or on request. */
export function readPages<Name extends ListName>(name: Name, input: Input<Name>) {
  return infiniteQueryOptions({
    queryKey: [name, 'pages', input] as const,
    queryFn: ({ signal, pageParam }) => {
      const { query } = input as { query?: object };
      const asked = { ...(input as object), query: { ...query, ...(pageParam && { cursor: pageParam }) } };
      return callPage(name, asked as Input<Name>, { signal });
    },
    initialPageParam: '',
    getNextPageParam: ({ next }) => next ?? undefined,
    select: ({ pages }) => pages.flatMap(({ items }) => items),
  });
}

export interface ChangeOptions<Name extends OperationName> {
  /** Operations whose replies the change affects; they are refetched. */
  changes?: OperationName[];
  onDone?: (data: Data<Name>, input: Input<Name>) => void;
}

/**
 * A mutation for a button or a form. If the reply is lost, a retry with the same input sends the same Idempotency-Key,
 * so that a purchase is never made twice. Different input, or a new call after a reply, gets a new key.
 */
export function useChange<Name extends OperationName>(
  name: Name,
  { changes = [], onDone }: ChangeOptions<Name> = {},
): UseMutationResult<Data<Name>, Error, Input<Name>> {
  const client = useQueryClient();
  const attempt = useRef<{ input: string; key: string } | undefined>(undefined);
  return useMutation<Data<Name>, Error, Input<Name>>({
    mutationKey: [name],
    mutationFn: async (input) => {
      const text = JSON.stringify(input ?? {});
      if (attempt.current?.input !== text) attempt.current = { input: text, key: crypto.randomUUID() };
      const { key } = attempt.current;
      try {
        const data = await confirmed(() =>
          callWith({ idempotencyKey: key }, name, ...([input] as Arguments<Name>)),
        );
        attempt.current = undefined;
        return data;
      } catch (error) {
        // Keep the key if the wallet was short: the customer may top up and then repeat the same purchase.
        const goesOn = error instanceof ApiError && (error.isPassing || error.code === 'insufficient_funds');
        if (!goesOn) attempt.current = undefined;
        throw error;
      }
    },
    onSuccess: async (data, input) => {
      onDone?.(data, input);
      await Promise.all(changes.map((changed) => client.invalidateQueries({ queryKey: [changed] })));
    },
  });
}
