import { Outlet } from '@tanstack/react-router';

export function Machine() {
  return <Outlet />;
}
