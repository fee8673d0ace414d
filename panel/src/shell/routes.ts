import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { ApiError } from '../api/errors.ts';
import { applyBrand, sessionQuery, siteQuery } from './site.ts';

/** What every route is given. */
export interface RouterContext {
  client: QueryClient;
}

/** The root of all pages. Waits for whose panel it is, so that no page changes its name or colour while it is read. */
export const rootRoute = createRootRouteWithContext<RouterContext>()({
  beforeLoad: async ({ context: { client } }) => {
    const site = await client.ensureQueryData(siteQuery).catch(() => undefined);
    if (site) applyBrand(site);
  },
});

/** Around pages that need no sign-in. */
export const frontRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'front',
  component: lazyRouteComponent(() => import('./Front.tsx'), 'Front'),
});

/** Around pages that need a session; without one the browser is led to the sign-in, and from there back here. */
export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  beforeLoad: async ({ context: { client }, location }) => {
    const toSignIn = () => redirect({ to: '/sign-in', search: { next: location.href } });
    // Known from the first answer, so that no page begins with a refusal.
    const isStranger = client.getQueryData(siteQuery.queryKey)?.signed_in === false;
    if (isStranger && !client.getQueryData(sessionQuery.queryKey)) throw toSignIn();
    try {
      await client.ensureQueryData(sessionQuery);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) throw toSignIn();
      throw error;
    }
  },
  component: lazyRouteComponent(() => import('./Shell.tsx'), 'Shell'),
});

/** The first page is the list of machines. */
export const homeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/machines', replace: true });
  },
});
