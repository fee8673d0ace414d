import { getRouteApi, Link } from '@tanstack/react-router';
import { useSite } from '../../shell/site.ts';
import { useTexts } from '../../texts.ts';
import { PasswordSignIn } from './PasswordSignIn.tsx';
import { texts } from './texts.ts';

const route = getRouteApi('/front/sign-in');

export function SignIn() {
  const t = useTexts(texts);
  const { next = '/' } = route.useSearch();
  return (
    <PasswordSignIn home={`/panel${next}`} below={<SignUpHint />}>
      <Link to="/password-reset">{t.forgottenLong}</Link>
    </PasswordSignIn>
  );
}

function SignUpHint() {
  const t = useTexts(texts);
  const { sign_up } = useSite();
  if (sign_up !== 'open') return null;
  return (
    <>
      {t.noAccount} <Link to="/sign-up">{t.signUp}</Link>
    </>
  );
}
