import { useSearch } from '@tanstack/react-router';
import { PasswordSignIn } from '../pages/sign-in/PasswordSignIn.tsx';
import { useTexts } from '../texts.ts';
import { texts } from './texts.ts';

/** The operators' sign-in: a password with a code, or a passkey. One factor is never enough. */
export function SignIn() {
  const t = useTexts(texts);
  const { next = '/' } = useSearch({ strict: false }) as { next?: string };
  return <PasswordSignIn home={`/operator${next}`} below={t.lockedOut} />;
}
