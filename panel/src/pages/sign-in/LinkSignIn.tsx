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
  /** Explains the link, given the address it is for. */
  why: (email: string) => string;
  /** The page to open after the sign-in. */
  home: string;
  /** Renders the refusal of a link that does not work. */
  over: (error: Error) => ReactNode;
}

/** Signs in with a link that works once: of the first start in development, or of the operator. */
export function LinkSignIn({ title, why, home, over }: Props) {
  const t = useTexts(texts);
  const { token, link } = useLink();
  const enter = useChange('signInByLink', { onDone: () => location.assign(home) });
  // A link that could not be read or used just now may still work, and the address no longer has it: it must stay here.
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
