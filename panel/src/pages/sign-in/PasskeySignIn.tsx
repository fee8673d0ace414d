import { useState } from 'react';
import { call } from '../../api/client.ts';
import { NoPasskeys, obstacleHere } from '../../shell/NoPasskeys.tsx';
import { useTexts } from '../../texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Or } from './FrontCard.tsx';
import { texts } from './texts.ts';

/** Signs in with a passkey, without password or second factor. Explains why if this browser cannot. */
export function PasskeySignIn({ onDone }: { onDone: () => void }) {
  const t = useTexts(texts);
  const [state, setState] = useState<'idle' | 'pending' | 'failed'>('idle');
  const signIn = async () => {
    setState('pending');
    try {
      const [{ startAuthentication }, { options }] = await Promise.all([
        import('@simplewebauthn/browser'),
        call('beginPasskeySignIn'),
      ]);
      const response = await startAuthentication({
        optionsJSON: options as unknown as Parameters<typeof startAuthentication>[0]['optionsJSON'],
      });
      await call('signInWithPasskey', { body: { response: { ...response } } });
      onDone();
    } catch {
      setState('failed');
    }
  };
  const obstacle = obstacleHere();
  if (obstacle) return <NoPasskeys because={obstacle} />;
  return (
    <>
      <Or>{t.or}</Or>
      {state === 'failed' && <Notice kind="bad">{t.passkeyFailed}</Notice>}
      <Button icon="passkey" isPending={state === 'pending'} onPress={signIn}>
        {t.withPasskey}
      </Button>
    </>
  );
}
