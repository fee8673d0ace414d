import { useQuery } from '@tanstack/react-query';
import type { Role, Session, Site } from '../api/panel.ts';
import { read } from '../api/queries.ts';

/** Shown until the site's settings are loaded. */
const UNNAMED: Pick<Site, 'name'> & Partial<Site> = { name: 'Vauban' };

export function useSite(): Pick<Site, 'name'> & Partial<Site> {
  return useQuery({ ...siteQuery, placeholderData: undefined }).data ?? UNNAMED;
}

export const siteQuery = { ...read('getSite'), staleTime: Number.POSITIVE_INFINITY };
export const sessionQuery = { ...read('getSession'), staleTime: 60_000 };

/** Returns the session. Only for pages within the shell, which has loaded it. */
export function useSession(): Session {
  const { data } = useQuery(sessionQuery);
  if (!data) throw new Error('the shell shows nothing without a session');
  return data;
}

export function useMay(scope: Session['scopes'][number]): boolean {
  return useSession().scopes.includes(scope);
}

const RANKS: Record<Role, number> = { viewer: 0, operator: 1, owner: 2 };

export function useRole(least: Role): boolean {
  const { role } = useSession();
  return role !== null && RANKS[role] >= RANKS[least];
}

/** Applies the hoster's colours; the design tokens keep them legible. */
export function applyBrand({ colour, colour_dark }: Pick<Site, 'colour' | 'colour_dark'>): void {
  const { style } = document.documentElement;
  if (colour) style.setProperty('--brand-light', colour);
  if (colour_dark) style.setProperty('--brand-dark', colour_dark);
}
