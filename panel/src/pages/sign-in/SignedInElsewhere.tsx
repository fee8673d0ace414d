import { useQuery } from '@tanstack/react-query';
import type { Link } from '../../api/panel.ts';
import { sessionQuery } from '../../shell/site.ts';
import { useTexts } from '../../texts.ts';
import { Notice } from '../../ui/Notice.tsx';
import { texts } from './texts.ts';

/**
 * Warns if someone other than the link's addressee is signed in in this browser, and says how the link affects that.
 */
export function SignedInElsewhere({ link: { own, purpose } }: { link: Pick<Link, 'own' | 'purpose'> }) {
  const t = useTexts(texts);
  const { data } = useQuery({ ...sessionQuery, enabled: own === false });
  if (own !== false || !data) return null;
  const then: Record<Link['purpose'], string> = {
    sign_up: t.elsewhereSignUp,
    change_email: t.elsewhereChangeEmail,
    reset_password: t.elsewhereResetPassword,
    sign_in: t.elsewhereSignIn,
  };
  return <Notice kind="warn">{`${t.signedInAs(data.person.email)} ${then[purpose]}`}</Notice>;
}
