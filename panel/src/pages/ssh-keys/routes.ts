import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shellRoute } from '../../shell/routes.ts';

const sshKeys = createRoute({
  getParentRoute: () => shellRoute,
  path: '/ssh-keys',
  component: lazyRouteComponent(() => import('./SshKeys.tsx'), 'SshKeys'),
});

export const sshKeyRoutes = [sshKeys] as const;
