import { useEffect, useRef } from 'react';
import { useChange } from '../../api/queries.ts';
import { useTexts } from '../../texts.ts';
import { Skeleton } from '../../ui/Loaded.tsx';
import { FrontCard } from './FrontCard.tsx';
import { useFragment } from './fragment.ts';
import { LinkOver } from './LinkOver.tsx';
import { texts } from './texts.ts';

/** Signs in by a link that works once: of the first start in development, or of the operator. */
export function SignInByLink() {
  const t = useTexts(texts);
  const token = useFragment();
  const { mutate, error } = useChange('signInByLink', { onDone: () => location.assign('/panel/') });
  const isTried = useRef(false);
  useEffect(() => {
    if (isTried.current) return;
    isTried.current = true;
    mutate({ body: { token: token || '-' } });
  }, [mutate, token]);
  if (error) return <LinkOver error={error} />;
  return (
    <FrontCard title={t.signingIn}>
      <Skeleton lines={2} />
    </FrontCard>
  );
}
