import type { ReactNode } from 'react';
import { useChange } from '../../api/queries.ts';
import { useTexts } from '../../texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Skeleton } from '../../ui/Loaded.tsx';
import { FrontCard } from './FrontCard.tsx';
import { SignedInElsewhere } from './SignedInElsewhere.tsx';
import { texts } from './texts.ts';
import { useLink } from './use-link.ts';

interface Props {
  title: string;
  /** What the link does, given the address it is for. */
  why: (email: string) => string;
  /** Where one comes to who has signed in. */
  home: string;
  /** What is shown for a link that does not work. */
  over: (error: Error) => ReactNode;
}

/** Signs in with a link that works once: of the first start in development, or of the operator. */
export function LinkSignIn({ title, why, home, over }: Props) {
  const t = useTexts(texts);
  const { token, link } = useLink();
  const enter = useChange('signInByLink', { onDone: () => location.assign(home) });
  const error = link.error ?? enter.error;
  if (error) return over(error);
  return (
    <FrontCard title={title}>
      {link.data ? (
        <>
          <p>{why(link.data.email)}</p>
          <SignedInElsewhere link={link.data} />
          <Button look="main" isPending={enter.isPending} onPress={() => enter.mutate({ body: { token } })}>
            {t.signIn}
          </Button>
        </>
      ) : (
        <Skeleton lines={2} />
      )}
    </FrontCard>
  );
}
