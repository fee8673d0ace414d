import { Link } from '@tanstack/react-router';
import { useChange } from '../../api/queries.ts';
import { useTexts } from '../../texts.ts';
import { Button, buttonClass } from '../../ui/Button.tsx';
import { Skeleton } from '../../ui/Loaded.tsx';
import { CompleteSignUp } from './CompleteSignUp.tsx';
import { FrontCard } from './FrontCard.tsx';
import { LinkOver } from './LinkOver.tsx';
import { SignedInElsewhere } from './SignedInElsewhere.tsx';
import { texts } from './texts.ts';
import { useLink } from './use-link.ts';

/** Behind the links that prove an address: of a sign-up, and of a change of address. */
export function VerifyEmail() {
  const t = useTexts(texts);
  const { token, link } = useLink();
  const change = useChange('verifyEmail');
  const error = link.error ?? change.error;
  if (error) return <LinkOver error={error} />;
  if (!link.data) {
    return (
      <FrontCard title={t.readingLink}>
        <Skeleton lines={2} />
      </FrontCard>
    );
  }
  const { purpose, email } = link.data;
  if (purpose === 'sign_up') {
    return (
      <CompleteSignUp token={token} email={email}>
        <SignedInElsewhere link={link.data} />
      </CompleteSignUp>
    );
  }
  if (change.isSuccess) {
    return (
      <FrontCard title={t.addressChanged}>
        <p>{t.addressChangedWhy(email)}</p>
        <Link to="/" className={buttonClass('main')}>
          {t.open}
        </Link>
      </FrontCard>
    );
  }
  return (
    <FrontCard title={t.newAddress}>
      <p>{t.newAddressWhy(email)}</p>
      <SignedInElsewhere link={link.data} />
      <Button look="main" isPending={change.isPending} onPress={() => change.mutate({ body: { token } })}>
        {t.useAddress}
      </Button>
    </FrontCard>
  );
}
