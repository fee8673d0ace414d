import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { ApiError } from '../api/errors.ts';
import { BrokenPage } from '../shell/Dead.tsx';
import { nextOf } from '../shell/next.ts';
import type { RouterContext } from '../shell/routes.ts';
import { applyBrand, sessionQuery, siteQuery } from '../shell/site.ts';
import { Skeleton } from '../ui/Loaded.tsx';
import { to } from './links.ts';
import { NoSuchPage } from './NoSuchPage.tsx';

const root = createRootRouteWithContext<RouterContext>()({
  beforeLoad: async ({ context: { client } }) => {
    const site = await client.ensureQueryData(siteQuery).catch(() => undefined);
    if (site) applyBrand(site);
  },
});

const front = createRoute({
  getParentRoute: () => root,
  id: 'front',
  component: lazyRouteComponent(() => import('./Front.tsx'), 'Front'),
});

const signIn = createRoute({
  getParentRoute: () => front,
  path: '/sign-in',
  validateSearch: nextOf,
  component: lazyRouteComponent(() => import('./SignIn.tsx'), 'SignIn'),
});

const signInByLink = createRoute({
  getParentRoute: () => front,
  path: '/sign-in/link',
  component: lazyRouteComponent(() => import('./SignInByLink.tsx'), 'SignInByLink'),
});

/** Pages that need a signed-in operator. Anyone else is sent to the sign-in page and back here afterwards. */
const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  beforeLoad: async ({ context: { client }, location }) => {
    try {
      const isStranger = client.getQueryData(siteQuery.queryKey)?.signed_in === false;
      if (!isStranger || client.getQueryData(sessionQuery.queryKey)) {
        await client.ensureQueryData(sessionQuery);
        return;
      }
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 401)) throw error;
    }
    throw redirect({ ...to('/sign-in'), search: { next: location.href } as never });
  },
  component: lazyRouteComponent(() => import('./Shell.tsx'), 'Shell'),
});

const page = (path: string, component: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute: () => shell, path, component });

const account = page(
  '/accounts/$id',
  lazyRouteComponent(() => import('./accounts/AccountPage.tsx'), 'AccountPage'),
);

const pages = [
  page(
    '/',
    lazyRouteComponent(() => import('./Overview.tsx'), 'Overview'),
  ),
  page(
    '/accounts',
    lazyRouteComponent(() => import('./accounts/Accounts.tsx'), 'Accounts'),
  ),
  account.addChildren([
    createRoute({
      getParentRoute: () => account,
      path: '/',
      component: lazyRouteComponent(() => import('./accounts/AccountOverview.tsx'), 'AccountOverview'),
    }),
    createRoute({
      getParentRoute: () => account,
      path: '/money',
      component: lazyRouteComponent(() => import('./accounts/AccountMoney.tsx'), 'AccountMoney'),
    }),
  ]),
  page(
    '/machines',
    lazyRouteComponent(() => import('./machines/Machines.tsx'), 'Machines'),
  ),
  page(
    '/machines/$id',
    lazyRouteComponent(() => import('./machines/MachinePage.tsx'), 'MachinePage'),
  ),
  page(
    '/jobs',
    lazyRouteComponent(() => import('./Jobs.tsx'), 'Jobs'),
  ),
  page(
    '/money',
    lazyRouteComponent(() => import('./money/Money.tsx'), 'Money'),
  ),
  page(
    '/outages',
    lazyRouteComponent(() => import('./Outages.tsx'), 'Outages'),
  ),
  page(
    '/shield',
    lazyRouteComponent(() => import('./Shield.tsx'), 'Shield'),
  ),
  page(
    '/host',
    lazyRouteComponent(() => import('./host/Host.tsx'), 'Host'),
  ),
  page(
    '/mails',
    lazyRouteComponent(() => import('./Mails.tsx'), 'Mails'),
  ),
  page(
    '/log',
    lazyRouteComponent(() => import('./Log.tsx'), 'Log'),
  ),
  page(
    '/security',
    lazyRouteComponent(() => import('./SecurityPage.tsx'), 'SecurityPage'),
  ),
];

export function newOperatorRouter(client: QueryClient) {
  return createRouter({
    routeTree: root.addChildren([front.addChildren([signIn, signInByLink]), shell.addChildren(pages)]),
    basepath: '/operator',
    context: { client },
    defaultPreload: 'intent',
    defaultPendingComponent: Skeleton,
    defaultErrorComponent: BrokenPage,
    defaultNotFoundComponent: NoSuchPage,
    scrollRestoration: true,
  });
}
