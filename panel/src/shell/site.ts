import { useQuery } from '@tanstack/react-query';
import type { Role, Session, Site } from '../api/panel.ts';
import { read } from '../api/queries.ts';

/** What is shown until the service has said whose panel this is. */
const UNNAMED: Pick<Site, 'name'> & Partial<Site> = { name: 'Vauban' };

/** Whose panel this is: name, logo, colour, links. */
export function useSite(): Pick<Site, 'name'> & Partial<Site> {
  return useQuery({ ...siteQuery, placeholderData: undefined }).data ?? UNNAMED;
}

export const siteQuery = { ...read('getSite'), staleTime: Number.POSITIVE_INFINITY };
export const sessionQuery = { ...read('getSession'), staleTime: 60_000 };

/** Who is signed in, and to which account. Only below the shell, which has made sure of it. */
export function useSession(): Session {
  const { data } = useQuery(sessionQuery);
  if (!data) throw new Error('the shell shows nothing without a session');
  return data;
}

/** Whether the person may do what a scope allows. */
export function useMay(scope: Session['scopes'][number]): boolean {
  return useSession().scopes.includes(scope);
}

const RANKS: Record<Role, number> = { viewer: 0, operator: 1, owner: 2 };

/** Whether the person's role in the account is at least this one. */
export function useRole(least: Role): boolean {
  const { role } = useSession();
  return role !== null && RANKS[role] >= RANKS[least];
}

/** Colours the page as the hoster wishes; the tokens see to it that it can be read. */
export function applyBrand({ colour, colour_dark }: Pick<Site, 'colour' | 'colour_dark'>): void {
  const { style } = document.documentElement;
  if (colour) style.setProperty('--brand-light', colour);
  if (colour_dark) style.setProperty('--brand-dark', colour_dark);
}
