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

/** Attempts at what fails for a reason that passes. */
const ATTEMPTS = 3;
/** What was read this recently is not read again because another part of the page shows it too. */
const FRESH_MS = 10_000;

/** The cache of everything read, one a tab. */
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

/** What an operation answers, for `useQuery`. */
export function read<Name extends OperationName>(name: Name, ...[input]: Arguments<Name>) {
  return queryOptions({
    queryKey: [name, input ?? {}] as const,
    queryFn: ({ signal }): Promise<Data<Name>> => callWith({ signal }, name, ...([input] as Arguments<Name>)),
  });
}

/** A whole list, all pages of it, for `useQuery`. */
export function readAll<Name extends ListName>(name: Name, input: Input<Name>) {
  return queryOptions({
    queryKey: [name, 'all', input] as const,
    queryFn: ({ signal }) => callAll(name, input, { signal }),
  });
}

/** A list that is read further as it is scrolled or asked, for `useInfiniteQuery`. */
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

/** How a change is followed up. */
export interface ChangeOptions<Name extends OperationName> {
  /** Operations whose answers it changes: they are read again. */
  changes?: OperationName[];
  onDone?: (data: Data<Name>, input: Input<Name>) => void;
}

/**
 * A change, for a button or a form. A purchase that is tried again after its answer was lost goes with the same
 * Idempotency-Key, so that it is never made twice; one with other input, or after an answer, is another purchase.
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
        // Money that was missing may come: what was refused for it goes on with the same key.
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
