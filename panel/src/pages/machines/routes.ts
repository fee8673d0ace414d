import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../shell/routes.ts';

const listRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/machines',
  component: lazyRouteComponent(() => import('./list/MachinesPage.tsx'), 'MachinesPage'),
});

const createMachineRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/machines/new',
  component: lazyRouteComponent(() => import('./create/CreatePage.tsx'), 'CreatePage'),
});

const machineRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/machines/$id',
  component: lazyRouteComponent(() => import('./MachinePage.tsx'), 'MachinePage'),
});

const overviewRoute = createRoute({
  getParentRoute: () => machineRoute,
  path: '/',
  component: lazyRouteComponent(() => import('./overview/OverviewPage.tsx'), 'OverviewPage'),
});

const terminalRoute = createRoute({
  getParentRoute: () => machineRoute,
  path: '/terminal',
  component: lazyRouteComponent(() => import('./terminal/TerminalPage.tsx'), 'TerminalPage'),
});

const screenRoute = createRoute({
  getParentRoute: () => machineRoute,
  path: '/screen',
  component: lazyRouteComponent(() => import('./terminal/ScreenPage.tsx'), 'ScreenPage'),
});

const networkRoute = createRoute({
  getParentRoute: () => machineRoute,
  path: '/network',
  component: lazyRouteComponent(() => import('./network/NetworkPage.tsx'), 'NetworkPage'),
});

const snapshotsRoute = createRoute({
  getParentRoute: () => machineRoute,
  path: '/snapshots',
  component: lazyRouteComponent(() => import('./snapshots/SnapshotsPage.tsx'), 'SnapshotsPage'),
});

const agentRoute = createRoute({
  getParentRoute: () => machineRoute,
  path: '/agent',
  component: lazyRouteComponent(() => import('./agent/AgentPage.tsx'), 'AgentPage'),
});

const activityRoute = createRoute({
  getParentRoute: () => machineRoute,
  path: '/activity',
  component: lazyRouteComponent(() => import('./activity/ActivityPage.tsx'), 'ActivityPage'),
});

const billingRoute = createRoute({
  getParentRoute: () => machineRoute,
  path: '/billing',
  component: lazyRouteComponent(() => import('./billing/MachineBillingPage.tsx'), 'MachineBillingPage'),
});

/** The custom size that the customer asked for is kept in the URL until the machine has loaded. */
export interface ResizeSearch {
  vcpu?: number;
  ram_mb?: number;
  disk_gb?: number;
}

const resizeRoute = createRoute({
  getParentRoute: () => machineRoute,
  path: '/resize',
  validateSearch: (search: Record<string, unknown>): ResizeSearch => {
    const whole = (value: unknown) => (Number.isInteger(value) ? (value as number) : undefined);
    return { vcpu: whole(search.vcpu), ram_mb: whole(search.ram_mb), disk_gb: whole(search.disk_gb) };
  },
  component: lazyRouteComponent(() => import('./resize/ResizePage.tsx'), 'ResizePage'),
});

const settingsRoute = createRoute({
  getParentRoute: () => machineRoute,
  path: '/settings',
  component: lazyRouteComponent(() => import('./settings/SettingsPage.tsx'), 'SettingsPage'),
});

export const machineRoutes = [
  listRoute,
  createMachineRoute,
  machineRoute.addChildren([
    overviewRoute,
    terminalRoute,
    screenRoute,
    networkRoute,
    snapshotsRoute,
    agentRoute,
    activityRoute,
    billingRoute,
    resizeRoute,
    settingsRoute,
  ]),
];
