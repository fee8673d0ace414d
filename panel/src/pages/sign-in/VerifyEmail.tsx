import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useChange } from '../../api/queries.ts';
import { useTexts } from '../../texts.ts';
import { buttonClass } from '../../ui/Button.tsx';
import { Skeleton } from '../../ui/Loaded.tsx';
import { FrontCard } from './FrontCard.tsx';
import { useFragment } from './fragment.ts';
import { LinkOver } from './LinkOver.tsx';
import { texts } from './texts.ts';

/** Confirms an address, of a new person or one that has moved. */
export function VerifyEmail() {
  const t = useTexts(texts);
  const token = useFragment();
  const { mutate, error, isSuccess } = useChange('verifyEmail');
  const isTried = useRef(false);
  useEffect(() => {
    if (isTried.current) return;
    isTried.current = true;
    mutate({ body: { token: token || '-' } });
  }, [mutate, token]);
  if (error) return <LinkOver error={error} />;
  if (!isSuccess) {
    return (
      <FrontCard title={t.verifying}>
        <Skeleton lines={2} />
      </FrontCard>
    );
  }
  return (
    <FrontCard title={t.verified}>
      <p>{t.verifiedWhy}</p>
      <Link to="/" className={buttonClass('main')}>
        {t.open}
      </Link>
    </FrontCard>
  );
}
