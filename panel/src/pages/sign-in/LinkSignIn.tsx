import type { ReactNode } from 'react';
import { isRefusal } from '../../api/errors.ts';
import { useChange } from '../../api/queries.ts';
import { useTexts } from '../../texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Problem } from '../../ui/Notice.tsx';
import { FrontCard } from './FrontCard.tsx';
import { SignedInElsewhere } from './SignedInElsewhere.tsx';
import { texts } from './texts.ts';
import { useLink } from './use-link.ts';

interface Props {
  title: string;
  /** Explains the link; `email` is its addressee. */
  why: (email: string) => string;
  /** The page to open after the sign-in. */
  home: string;
  /** Renders the refusal of an invalid link. */
  over: (error: Error) => ReactNode;
}

/** Signs in with a link that works once, from `vaubanctl` or from the first start of a service in development. */
export function LinkSignIn({ title, why, home, over }: Props) {
  const t = useTexts(texts);
  const { token, link } = useLink();
  const enter = useChange('signInByLink', { onDone: () => location.assign(home) });
  // If the link could not be checked just now, it may still work. Stay on this page: its token is no longer in the URL.
  const refused = [link.error, enter.error].find((error) => isRefusal(error, 'link_invalid'));
  if (refused) return over(refused);
  return (
    <FrontCard title={title}>
      <Loaded query={link} lines={2}>
        {(shown) => (
          <>
            <p>{why(shown.email)}</p>
            <SignedInElsewhere link={shown} />
            {enter.error && <Problem error={enter.error} />}
            <Button look="main" isPending={enter.isPending} onPress={() => enter.mutate({ body: { token } })}>
              {t.signIn}
            </Button>
          </>
        )}
      </Loaded>
    </FrontCard>
  );
}
