import { useTexts } from '../../texts.ts';
import { LinkOver } from './LinkOver.tsx';
import { LinkSignIn } from './LinkSignIn.tsx';
import { texts } from './texts.ts';

/** Opened from the first link of a service in development, or one from `vaubanctl person link`. */
export function SignInByLink() {
  const t = useTexts(texts);
  return (
    <LinkSignIn
      title={t.linkTitle}
      why={t.linkWhy}
      home="/panel/"
      over={(error) => <LinkOver error={error} />}
    />
  );
}
