import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../shell/routes.ts';

const shield = createRoute({
  getParentRoute: () => shellRoute,
  path: '/shield',
  component: lazyRouteComponent(() => import('./Shield.tsx'), 'Shield'),
});

export const shieldRoutes = [shield] as const;
