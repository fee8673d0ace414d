import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { read, useChange } from '../../api/queries.ts';
import { useSite } from '../../shell/site.ts';
import { useTexts } from '../../texts.ts';
import { Button, buttonClass } from '../../ui/Button.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Facts } from '../../ui/Page.tsx';
import { CompleteSignUp } from './CompleteSignUp.tsx';
import { FrontCard } from './FrontCard.tsx';
import { useFragment } from './fragment.ts';
import { LinkOver } from './LinkOver.tsx';
import { texts } from './texts.ts';

/** Keeps the token in this tab while the invited person signs in. */
const KEPT = 'vauban_invitation';

/** Accepts an invitation for a signed-in person, or creates an account with it. */
export function Invitation() {
  const t = useTexts(texts);
  const { signed_in } = useSite();
  const given = useFragment();
  const [token] = useState(() => given || sessionStorage.getItem(KEPT) || '');
  const [isNew, setNew] = useState(false);
  const shown = useQuery({ ...read('showInvitation', { body: { token } }), enabled: token !== '' });
  const accept = useChange('acceptInvitation', { onDone: () => location.assign('/panel/') });
  if (shown.error) return <LinkOver error={shown.error} />;
  if (isNew && shown.data) return <CompleteSignUp token={token} email={shown.data.email} />;
  if (accept.error) return <LinkOver error={accept.error} />;
  const what = token !== '' && (
    <Loaded query={shown} lines={3}>
      {({ account, role, inviter, email }) => (
        <Facts
          facts={[
            [t.account, account],
            [t.role, t[role]],
            ...(inviter === null ? [] : ([[t.invitedBy, inviter]] as [string, string][])),
            [t.invitedAddress, email],
          ]}
        />
      )}
    </Loaded>
  );
  if (signed_in) {
    return (
      <FrontCard title={t.invitation}>
        {what}
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
      {what}
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
