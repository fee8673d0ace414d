import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../shell/routes.ts';

/** Around the pages of the wallet. */
const billing = createRoute({
  getParentRoute: () => shellRoute,
  path: '/billing',
  component: lazyRouteComponent(() => import('./Billing.tsx'), 'Billing'),
});

const overview = createRoute({
  getParentRoute: () => billing,
  path: '/',
  component: lazyRouteComponent(() => import('./Overview.tsx'), 'Overview'),
});

/** Where a payment begins; what is missing somewhere else comes as an amount. */
const topUp = createRoute({
  getParentRoute: () => shellRoute,
  path: '/billing/top-up',
  validateSearch: ({ amount, next }: Record<string, unknown>): { amount?: number; next?: string } => ({
    ...(Number.isSafeInteger(amount) && { amount: amount as number }),
    ...(typeof next === 'string' && { next }),
  }),
  component: lazyRouteComponent(() => import('./TopUp.tsx'), 'TopUp'),
});

export const billingRoutes = [billing.addChildren([overview]), topUp] as const;
