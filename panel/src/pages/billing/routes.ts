import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { nextOf } from '../../shell/next.ts';
import { shellRoute } from '../../shell/routes.ts';

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

const invoices = createRoute({
  getParentRoute: () => billing,
  path: '/invoices',
  component: lazyRouteComponent(() => import('./Invoices.tsx'), 'Invoices'),
});

const payments = createRoute({
  getParentRoute: () => billing,
  path: '/payments',
  component: lazyRouteComponent(() => import('./Payments.tsx'), 'Payments'),
});

const orders = createRoute({
  getParentRoute: () => billing,
  path: '/orders',
  component: lazyRouteComponent(() => import('./Orders.tsx'), 'Orders'),
});

const usage = createRoute({
  getParentRoute: () => billing,
  path: '/usage',
  component: lazyRouteComponent(() => import('./Usage.tsx'), 'Usage'),
});

const statement = createRoute({
  getParentRoute: () => billing,
  path: '/statement',
  component: lazyRouteComponent(() => import('./Statement.tsx'), 'Statement'),
});

const details = createRoute({
  getParentRoute: () => billing,
  path: '/details',
  component: lazyRouteComponent(() => import('./Details.tsx'), 'Details'),
});

const invoice = createRoute({
  getParentRoute: () => shellRoute,
  path: '/billing/invoices/$id',
  component: lazyRouteComponent(() => import('./Invoice.tsx'), 'Invoice'),
});

/** The page that begins a top-up. A page that found the wallet short passes the missing amount. */
const topUp = createRoute({
  getParentRoute: () => shellRoute,
  path: '/billing/top-up',
  validateSearch: (search: Record<string, unknown>): { amount?: number; next?: string; top_up?: string } => ({
    ...(Number.isSafeInteger(search.amount) && { amount: search.amount as number }),
    ...(typeof search.top_up === 'string' && { top_up: search.top_up }),
    ...nextOf(search),
  }),
  // Payment providers send customers back here.
  beforeLoad: ({ search: { top_up, next } }) => {
    if (top_up) throw redirect({ to: '/billing/top-ups/$id', params: { id: top_up }, search: { next } });
  },
  component: lazyRouteComponent(() => import('./TopUp.tsx'), 'TopUp'),
});

const oneTopUp = createRoute({
  getParentRoute: () => shellRoute,
  path: '/billing/top-ups/$id',
  validateSearch: nextOf,
  component: lazyRouteComponent(() => import('./OneTopUp.tsx'), 'OneTopUp'),
});

export const billingRoutes = [
  billing.addChildren([overview, invoices, payments, orders, usage, statement, details]),
  invoice,
  topUp,
  oneTopUp,
] as const;
