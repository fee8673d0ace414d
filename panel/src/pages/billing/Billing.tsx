import { Outlet } from '@tanstack/react-router';

export function Billing() {
  return <Outlet />;
}
