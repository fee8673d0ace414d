import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { read } from '../../api/queries.ts';

/** A catalog changes with a restart of the service, or with the day on which a price does. */
const CATALOG_FRESH_MS = 300_000;

/** What is sold, and where. */
export function useCatalog() {
  return useQuery({ ...read('getCatalog'), staleTime: CATALOG_FRESH_MS });
}

/** The names that people know plans, regions and images by; the code of one that is no longer in the catalog. */
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
