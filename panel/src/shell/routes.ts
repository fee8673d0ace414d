import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { ApiError } from '../api/errors.ts';
import { applyBrand, sessionQuery, siteQuery } from './site.ts';

export interface RouterContext {
  client: QueryClient;
}

/** The root of all pages. Waits for the site's settings, so that name and colour do not change while a page is read. */
export const rootRoute = createRootRouteWithContext<RouterContext>()({
  beforeLoad: async ({ context: { client } }) => {
    const site = await client.ensureQueryData(siteQuery).catch(() => undefined);
    if (site) applyBrand(site);
  },
});

/** Pages that need no sign-in. */
export const frontRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'front',
  component: lazyRouteComponent(() => import('./Front.tsx'), 'Front'),
});

/** Pages that need a session. Without one the browser is sent to the sign-in page and back here afterwards. */
export const shellRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  beforeLoad: async ({ context: { client }, location }) => {
    const toSignIn = () => redirect({ to: '/sign-in', search: { next: location.href } });
    // The first reply says whether there is a session, so that no page begins with a refused request.
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

/** The home page is the list of machines. */
export const homeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/machines', replace: true });
  },
});
