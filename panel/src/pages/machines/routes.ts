import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../shell/routes.ts';

const machines = createRoute({
  getParentRoute: () => shellRoute,
  path: '/machines',
  component: lazyRouteComponent(() => import('./Machines.tsx'), 'Machines'),
});

const newMachine = createRoute({
  getParentRoute: () => shellRoute,
  path: '/machines/new',
  component: lazyRouteComponent(() => import('./NewMachine.tsx'), 'NewMachine'),
});

/** Around the pages of one machine. */
const machine = createRoute({
  getParentRoute: () => shellRoute,
  path: '/machines/$id',
  component: lazyRouteComponent(() => import('./Machine.tsx'), 'Machine'),
});

const overview = createRoute({
  getParentRoute: () => machine,
  path: '/',
  component: lazyRouteComponent(() => import('./Overview.tsx'), 'Overview'),
});

export const machineRoutes = [machines, newMachine, machine.addChildren([overview])] as const;
