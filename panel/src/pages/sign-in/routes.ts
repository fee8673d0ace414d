import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { frontRoute } from '../../shell/routes.ts';

/** Where to go after the sign-in: a path of ours, and never another site. */
const nextOf = ({ next }: Record<string, unknown>): { next?: string } =>
  typeof next === 'string' && /^\/(?![/\\])/.test(next) ? { next } : {};

const signIn = createRoute({
  getParentRoute: () => frontRoute,
  path: '/sign-in',
  validateSearch: nextOf,
  component: lazyRouteComponent(() => import('./SignIn.tsx'), 'SignIn'),
});

export const signInRoutes = [signIn] as const;
