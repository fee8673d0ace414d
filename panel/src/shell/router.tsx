import type { QueryClient } from '@tanstack/react-query';
import { createRouter } from '@tanstack/react-router';
import { accountRoutes } from '../pages/account/routes.ts';
import { billingRoutes } from '../pages/billing/routes.ts';
import { keyRoutes } from '../pages/keys/routes.ts';
import { machineRoutes } from '../pages/machines/routes.ts';
import { priceRoutes } from '../pages/prices/routes.ts';
import { shieldRoutes } from '../pages/shield/routes.ts';
import { signInRoutes } from '../pages/sign-in/routes.ts';
import { sshKeyRoutes } from '../pages/ssh-keys/routes.ts';
import { Skeleton } from '../ui/Loaded.tsx';
import { BrokenPage, NoSuchPage } from './Dead.tsx';
import { frontRoute, homeRoute, rootRoute, shellRoute } from './routes.ts';

const routeTree = rootRoute.addChildren([
  frontRoute.addChildren([...signInRoutes, ...priceRoutes]),
  shellRoute.addChildren([
    homeRoute,
    ...machineRoutes,
    ...shieldRoutes,
    ...sshKeyRoutes,
    ...keyRoutes,
    ...billingRoutes,
    ...accountRoutes,
  ]),
]);

export function newRouter(client: QueryClient) {
  return createRouter({
    routeTree,
    basepath: '/panel',
    context: { client },
    defaultPreload: 'intent',
    defaultPendingComponent: Skeleton,
    defaultErrorComponent: BrokenPage,
    defaultNotFoundComponent: NoSuchPage,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof newRouter>;
  }
}
