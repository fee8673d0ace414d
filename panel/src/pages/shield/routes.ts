import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../shell/routes.ts';

const shield = createRoute({
  getParentRoute: () => shellRoute,
  path: '/shield',
  component: lazyRouteComponent(() => import('./Shield.tsx'), 'Shield'),
});

const target = createRoute({
  getParentRoute: () => shellRoute,
  path: '/shield/$tid/$id',
  component: lazyRouteComponent(() => import('./TargetPage.tsx'), 'TargetPage'),
});

export const shieldRoutes = [shield, target] as const;
