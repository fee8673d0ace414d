import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { frontRoute } from '../../shell/routes.ts';

const prices = createRoute({
  getParentRoute: () => frontRoute,
  path: '/prices',
  component: lazyRouteComponent(() => import('./Prices.tsx'), 'Prices'),
});

export const priceRoutes = [prices] as const;
