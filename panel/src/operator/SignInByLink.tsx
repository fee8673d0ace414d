import { Link } from '@tanstack/react-router';
import { FrontCard } from '../pages/sign-in/FrontCard.tsx';
import { LinkProblem } from '../pages/sign-in/LinkOver.tsx';
import { LinkSignIn } from '../pages/sign-in/LinkSignIn.tsx';
import { texts as signInTexts } from '../pages/sign-in/texts.ts';
import { useTexts } from '../texts.ts';
import { buttonClass } from '../ui/Button.tsx';
import { to } from './links.ts';
import { texts } from './texts.ts';

/** Opened from a link that `vaubanctl operator` created. */
export function SignInByLink() {
  const t = useTexts(texts);
  const { signIn } = useTexts(signInTexts);
  const over = (error: Error) => (
    <FrontCard title={t.linkTitle}>
      <LinkProblem error={error} />
      <p>{t.linkOver}</p>
      <Link {...to('/sign-in')} className={buttonClass()}>
        {signIn}
      </Link>
    </FrontCard>
  );
  return <LinkSignIn title={t.linkTitle} why={() => t.linkWhy} home="/operator/" over={over} />;
}
