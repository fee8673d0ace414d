import { defineTexts, useTexts } from '../texts.ts';
import { Foot } from '../ui/Page.tsx';
import { atLocalhost, type PasskeyObstacle, passkeyObstacle } from './passkeys-here.ts';

const texts = defineTexts(
  {
    address: 'Passkeys work only at a host name, and this page was opened at an IP address.',
    insecure: 'Passkeys need this page to be served over https.',
    browser: 'This browser does not support passkeys.',
    open: 'Open this page at localhost',
  },
  {
    address: 'Passkeys gelten nur für einen Hostnamen, diese Seite wurde aber über eine IP-Adresse geöffnet.',
    insecure: 'Für Passkeys muss diese Seite über https ausgeliefert werden.',
    browser: 'Dieser Browser unterstützt keine Passkeys.',
    open: 'Diese Seite unter localhost öffnen',
  },
);

/** Returns why this browser cannot use passkeys on this page; undefined if it can. */
export const obstacleHere = (): PasskeyObstacle | undefined =>
  passkeyObstacle({
    hostname: location.hostname,
    isSecure: window.isSecureContext,
    hasPasskeys: 'PublicKeyCredential' in window,
  });

/** Replaces a button that needs passkeys and explains why it is missing. */
export function NoPasskeys({ because }: { because: PasskeyObstacle }) {
  const t = useTexts(texts);
  const local = because === 'address' ? atLocalhost(location.href) : undefined;
  return (
    <Foot>
      {t[because]} {local && <a href={local}>{t.open}</a>}
    </Foot>
  );
}
