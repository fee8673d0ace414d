import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useMemo } from 'react';
import { read } from '../api/queries.ts';
import { type Find, Palette } from '../shell/Palette.tsx';
import { useTexts } from '../texts.ts';
import { to } from './links.ts';
import { PAGES } from './Navigation.tsx';
import { texts } from './texts.ts';

/** Results of each kind; two kinds must fit into the palette. */
const MOST = 4;

/** The operators' palette: every page, and the accounts and machines that the service finds for the typed text. */
export function OperatorPalette({ onClose }: { onClose: () => void }) {
  return <Palette useFinds={useFinds} onClose={onClose} />;
}

function useFinds(typed: string): Find[] {
  const t = useTexts(texts);
  const navigate = useNavigate();
  const search = useDeferredValue(typed.trim());
  const asked = { enabled: search !== '', placeholderData: keepPreviousData };
  const query = { search, limit: MOST };
  const accounts = useQuery({ ...read('operator.listAccounts', { query }), ...asked });
  const machines = useQuery({ ...read('operator.listVms', { query }), ...asked });
  return useMemo(() => {
    const go = (path: string) => () => void navigate(to(path) as Parameters<typeof navigate>[0]);
    const pages = PAGES.map(
      ({ icon, path, label }): Find => ({ id: path, icon, label: t[label], kind: t.page, go: go(path) }),
    );
    if (search === '') return pages;
    return [
      ...pages,
      ...(accounts.data ?? []).map(
        ({ id, name }): Find => ({
          ...{ id, icon: 'people', label: name, kind: t.account, isFound: true },
          go: go(`/accounts/${id}`),
        }),
      ),
      ...(machines.data ?? []).map(
        ({ id, hostname, ipv4, ipv6 }): Find => ({
          ...{ id, icon: 'machine', label: hostname, kind: t.machine, isFound: true },
          more: ipv4 ?? ipv6 ?? '',
          go: go(`/machines/${id}`),
        }),
      ),
    ];
  }, [t, navigate, search, accounts.data, machines.data]);
}
