import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { read } from '../../api/queries.ts';

/** The catalog only changes when the service restarts or on the day of a new price. */
const CATALOG_FRESH_MS = 300_000;

export function useCatalog() {
  return useQuery({ ...read('getCatalog'), staleTime: CATALOG_FRESH_MS });
}

/**
 * Returns functions that name plans, regions and images; a code that the catalog no longer lists is returned as it is.
 */
export function useCatalogNames() {
  const { data } = useCatalog();
  return useMemo(() => {
    const named = (list: readonly { code: string; name: string }[] | undefined) => {
      const names = new Map(list?.map(({ code, name }) => [code, name]));
      return (code: string) => names.get(code) ?? code;
    };
    return { plan: named(data?.plans), region: named(data?.regions), template: named(data?.templates) };
  }, [data]);
}
