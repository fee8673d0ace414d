import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../shell/routes.ts';

const account = createRoute({
  getParentRoute: () => shellRoute,
  path: '/account',
  component: lazyRouteComponent(() => import('./Account.tsx'), 'Account'),
});

const profile = createRoute({
  getParentRoute: () => account,
  path: '/',
  component: lazyRouteComponent(() => import('./Profile.tsx'), 'Profile'),
});

/** Mails link to this page. */
const security = createRoute({
  getParentRoute: () => account,
  path: '/security',
  component: lazyRouteComponent(() => import('./Security.tsx'), 'Security'),
});

const close = createRoute({
  getParentRoute: () => account,
  path: '/close',
  component: lazyRouteComponent(() => import('./Close.tsx'), 'Close'),
});

const members = createRoute({
  getParentRoute: () => shellRoute,
  path: '/members',
  component: lazyRouteComponent(() => import('./Members.tsx'), 'Members'),
});

const audit = createRoute({
  getParentRoute: () => shellRoute,
  path: '/audit',
  component: lazyRouteComponent(() => import('./Audit.tsx'), 'Audit'),
});

export const accountRoutes = [account.addChildren([profile, security, close]), members, audit] as const;
