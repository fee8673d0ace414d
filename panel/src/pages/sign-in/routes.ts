import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { nextOf } from '../../shell/next.ts';
import { frontRoute } from '../../shell/routes.ts';

const signIn = createRoute({
  getParentRoute: () => frontRoute,
  path: '/sign-in',
  validateSearch: nextOf,
  component: lazyRouteComponent(() => import('./SignIn.tsx'), 'SignIn'),
});

/** Links in mails carry their secret behind the `#`, which browsers do not send to the server. */
const signInByLink = createRoute({
  getParentRoute: () => frontRoute,
  path: '/sign-in/link',
  component: lazyRouteComponent(() => import('./SignInByLink.tsx'), 'SignInByLink'),
});

const signUp = createRoute({
  getParentRoute: () => frontRoute,
  path: '/sign-up',
  component: lazyRouteComponent(() => import('./SignUp.tsx'), 'SignUp'),
});

const verifyEmail = createRoute({
  getParentRoute: () => frontRoute,
  path: '/verify-email',
  component: lazyRouteComponent(() => import('./VerifyEmail.tsx'), 'VerifyEmail'),
});

const forgotten = createRoute({
  getParentRoute: () => frontRoute,
  path: '/password-reset',
  component: lazyRouteComponent(() => import('./PasswordReset.tsx'), 'PasswordReset'),
});

const reset = createRoute({
  getParentRoute: () => frontRoute,
  path: '/reset-password',
  component: lazyRouteComponent(() => import('./NewPassword.tsx'), 'NewPassword'),
});

const invitation = createRoute({
  getParentRoute: () => frontRoute,
  path: '/invitation',
  component: lazyRouteComponent(() => import('./Invitation.tsx'), 'Invitation'),
});

export const signInRoutes = [
  signIn,
  signInByLink,
  signUp,
  verifyEmail,
  forgotten,
  reset,
  invitation,
] as const;
