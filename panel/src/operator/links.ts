import type { LinkProps } from '@tanstack/react-router';

/** Returns a link to an operator page by its path. The router's types only know the customers' pages. */
export const to = (path: string, search?: Record<string, string>): LinkProps => ({
  to: path as never,
  ...(search && { search: search as never }),
});

/** Returns whether a session has its second factor; without one it can only set one up. */
export const isEnrolled = ({
  factors: { password, totp, passkeys },
}: {
  factors: { password: boolean; totp: boolean; passkeys: number };
}): boolean => passkeys > 0 || (password && totp);
