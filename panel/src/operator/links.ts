import type { LinkProps } from '@tanstack/react-router';

/** A link to one of the operator's pages, by its path: the types of links know the customers' pages alone. */
export const to = (path: string, search?: Record<string, string>): LinkProps => ({
  to: path as never,
  ...(search && { search: search as never }),
});

/** Whether a session may do anything but set up its second factor. */
export const isEnrolled = ({
  factors: { password, totp, passkeys },
}: {
  factors: { password: boolean; totp: boolean; passkeys: number };
}): boolean => passkeys > 0 || (password && totp);
