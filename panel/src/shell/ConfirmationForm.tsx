import { useState } from 'react';
import { call } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';
import { useChange } from '../api/queries.ts';
import { defineTexts, useTexts } from '../texts.ts';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { Field } from '../ui/Field.tsx';
import { Form, FormActions, textOf } from '../ui/Form.tsx';
import { Problem } from '../ui/Notice.tsx';
import { NoPasskeys, obstacleHere } from './NoPasskeys.tsx';
import { useSession } from './site.ts';

const texts = defineTexts(
  {
    title: 'Confirm that it is you',
    why: 'This affects access to your account or your money. The confirmation is valid for ten minutes.',
    password: 'Password',
    go: 'Confirm',
    passkey: 'Confirm with a passkey',
    passkeyFailed: 'The passkey was not used. Try again.',
    again: 'You have neither a password nor a passkey. Sign out and request a link to choose a password.',
    cancel: 'Cancel',
  },
  {
    title: 'Bestätigen Sie, dass Sie es sind',
    why: 'Das betrifft den Zugang zu Ihrem Konto oder Ihrem Geld. Die Bestätigung gilt für zehn Minuten.',
    password: 'Passwort',
    go: 'Bestätigen',
    passkey: 'Mit einem Passkey bestätigen',
    passkeyFailed: 'Der Passkey wurde nicht verwendet. Versuchen Sie es noch einmal.',
    again:
      'Sie haben weder Passwort noch Passkey. Melden Sie sich ab und fordern Sie einen Link für ein Passwort an.',
    cancel: 'Abbrechen',
  },
);

/** Asks for the password or a passkey again. Calls `onEnd` with whether it was right. */
export function ConfirmationForm({ onEnd }: { onEnd: (confirmed: boolean) => void }) {
  const t = useTexts(texts);
  const { person, factors } = useSession();
  const obstacle = obstacleHere();
  const confirm = useChange('confirmSession', { changes: ['getSession'], onDone: () => onEnd(true) });
  return (
    <Dialog title={t.title} isOpen onClose={() => onEnd(false)}>
      <p>{factors.password || factors.passkeys > 0 ? t.why : t.again}</p>
      {factors.password && (
        <Form
          error={confirm.error}
          onSubmit={(values) => confirm.mutate({ body: { password: textOf(values, 'password') } })}
        >
          <input type="email" name="email" autoComplete="username" value={person.email} readOnly hidden />
          <Field
            label={t.password}
            name="password"
            type="password"
            autoComplete="current-password"
            isRequired
            autoFocus
          />
          <FormActions>
            <Button look="main" type="submit" isPending={confirm.isPending}>
              {t.go}
            </Button>
            <Button onPress={() => onEnd(false)}>{t.cancel}</Button>
          </FormActions>
        </Form>
      )}
      {factors.passkeys > 0 && obstacle && <NoPasskeys because={obstacle} />}
      {factors.passkeys > 0 && !obstacle && (
        <ByPasskey onConfirm={(response) => confirm.mutateAsync({ body: { response } })} />
      )}
    </Dialog>
  );
}

function ByPasskey({ onConfirm }: { onConfirm: (response: Record<string, unknown>) => Promise<unknown> }) {
  const t = useTexts(texts);
  const [state, setState] = useState<{ isPending: boolean; error?: Error }>({ isPending: false });
  const confirm = async () => {
    setState({ isPending: true });
    try {
      const [{ startAuthentication }, { options }] = await Promise.all([
        import('@simplewebauthn/browser'),
        call('beginPasskeySignIn'),
      ]);
      const optionsJSON = options as unknown as Parameters<typeof startAuthentication>[0]['optionsJSON'];
      await onConfirm({ ...(await startAuthentication({ optionsJSON })) });
    } catch (cause) {
      const error = cause instanceof ApiError ? cause : new ApiError('passkey', t.passkeyFailed, { cause });
      setState({ isPending: false, error });
    }
  };
  return (
    <>
      {state.error && <Problem error={state.error} />}
      <Button icon="passkey" isPending={state.isPending} onPress={confirm}>
        {t.passkey}
      </Button>
    </>
  );
}
