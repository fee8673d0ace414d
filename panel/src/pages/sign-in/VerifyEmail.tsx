import { Link } from '@tanstack/react-router';
import { isRefusal } from '../../api/errors.ts';
import { useChange } from '../../api/queries.ts';
import { useTexts } from '../../texts.ts';
import { Button, buttonClass } from '../../ui/Button.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Problem } from '../../ui/Notice.tsx';
import { CompleteSignUp } from './CompleteSignUp.tsx';
import { FrontCard } from './FrontCard.tsx';
import { LinkOver } from './LinkOver.tsx';
import { SignedInElsewhere } from './SignedInElsewhere.tsx';
import { texts } from './texts.ts';
import { useLink } from './use-link.ts';

/** Opened from links that verify an email address, after a sign-up or a change of address. */
export function VerifyEmail() {
  const t = useTexts(texts);
  const { token, link } = useLink();
  const change = useChange('verifyEmail');
  const refused = [link.error, change.error].find((error) => isRefusal(error, 'link_invalid'));
  if (refused) return <LinkOver error={refused} />;
  if (!link.data) {
    return (
      <FrontCard title={t.readingLink}>
        <Loaded query={link} lines={2}>
          {() => null}
        </Loaded>
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
      {change.error && <Problem error={change.error} />}
      <Button look="main" isPending={change.isPending} onPress={() => change.mutate({ body: { token } })}>
        {t.useAddress}
      </Button>
    </FrontCard>
  );
}
