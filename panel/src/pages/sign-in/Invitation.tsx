import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { useSite } from '../../shell/site.ts';
import { useTexts } from '../../texts.ts';
import { Button, buttonClass } from '../../ui/Button.tsx';
import { FrontCard } from './FrontCard.tsx';
import { useFragment } from './fragment.ts';
import { LinkOver } from './LinkOver.tsx';
import { SignUp } from './SignUp.tsx';
import { texts } from './texts.ts';

/** Kept while who is invited signs in, and no longer than the tab. */
const KEPT = 'vauban_invitation';

/** Behind the link of an invitation: who is signed in accepts it, who has no account makes one by it. */
export function Invitation() {
  const t = useTexts(texts);
  const { signed_in } = useSite();
  const given = useFragment();
  const [token] = useState(() => given || sessionStorage.getItem(KEPT) || '');
  const [isNew, setNew] = useState(false);
  const accept = useChange('acceptInvitation', { onDone: () => location.assign('/panel/') });
  if (isNew) return <SignUp invitation={token} />;
  if (accept.error) return <LinkOver error={accept.error} />;
  if (signed_in) {
    return (
      <FrontCard title={t.invitation}>
        <p>{t.invitationWhy}</p>
        <Button
          look="main"
          isPending={accept.isPending}
          onPress={() => accept.mutate({ body: { token: token || '-' } })}
        >
          {t.accept}
        </Button>
      </FrontCard>
    );
  }
  return (
    <FrontCard title={t.invitation}>
      <p>{t.acceptFirst}</p>
      <Link
        to="/sign-in"
        search={{ next: '/invitation' }}
        className={buttonClass('main')}
        onClick={() => sessionStorage.setItem(KEPT, token)}
      >
        {t.signIn}
      </Link>
      <Button onPress={() => setNew(true)}>{t.signUpTitle}</Button>
    </FrontCard>
  );
}
