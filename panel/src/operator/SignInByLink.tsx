import { Link } from '@tanstack/react-router';
import { useChange } from '../api/queries.ts';
import { FrontCard } from '../pages/sign-in/FrontCard.tsx';
import { useFragment } from '../pages/sign-in/fragment.ts';
import { texts as signInTexts } from '../pages/sign-in/texts.ts';
import { useTexts } from '../texts.ts';
import { Button, buttonClass } from '../ui/Button.tsx';
import { Problem } from '../ui/Notice.tsx';
import { to } from './links.ts';
import { texts } from './texts.ts';

/** Behind a link of `vaubanctl operator`. Used only when the button is pressed, so that no preview uses it up. */
export function SignInByLink() {
  const t = useTexts(texts);
  const { signIn: label } = useTexts(signInTexts);
  const token = useFragment();
  const enter = useChange('signInByLink', { onDone: () => location.assign('/operator/') });
  return (
    <FrontCard title={t.linkTitle}>
      <p>{enter.error ? t.linkOver : t.linkWhy}</p>
      {enter.error && <Problem error={enter.error} />}
      {enter.error ? (
        <Link {...to('/sign-in')} className={buttonClass()}>
          {label}
        </Link>
      ) : (
        <Button
          look="main"
          isPending={enter.isPending}
          onPress={() => enter.mutate({ body: { token: token || '-' } })}
        >
          {label}
        </Button>
      )}
    </FrontCard>
  );
}
