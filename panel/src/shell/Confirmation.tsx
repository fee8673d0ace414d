import { useEffect, useRef, useState } from 'react';
import { onConfirmationNeeded } from '../api/confirmation.ts';
import { useChange } from '../api/queries.ts';
import { defineTexts, useTexts } from '../texts.ts';
import { Button } from '../ui/Button.tsx';
import { Dialog } from '../ui/Dialog.tsx';
import { Field } from '../ui/Field.tsx';
import { Form, FormActions, textOf } from '../ui/Form.tsx';
import { useSession } from './site.ts';

const texts = defineTexts(
  {
    title: 'Confirm that it is you',
    why: 'This changes who can reach your account or your money. Your password once more; it holds for ten minutes.',
    password: 'Password',
    go: 'Confirm',
    cancel: 'Cancel',
  },
  {
    title: 'Bestätigen Sie, dass Sie es sind',
    why: 'Das ändert, wer an Ihr Konto oder Ihr Geld kommt. Bitte noch einmal das Passwort; es gilt für zehn Minuten.',
    password: 'Passwort',
    go: 'Bestätigen',
    cancel: 'Abbrechen',
  },
);

/** Asks to sign in once more whenever the service wants it, whatever page it is for, and lets what was begun go on. */
export function Confirmation() {
  const t = useTexts(texts);
  const { person } = useSession();
  const [isOpen, setOpen] = useState(false);
  const answer = useRef<(confirmed: boolean) => void>(undefined);
  useEffect(() => {
    onConfirmationNeeded(() => {
      setOpen(true);
      return new Promise((resolve) => {
        answer.current = resolve;
      });
    });
  }, []);
  const end = (confirmed: boolean) => {
    setOpen(false);
    answer.current?.(confirmed);
  };
  const confirm = useChange('confirmSession', { changes: ['getSession'], onDone: () => end(true) });
  return (
    <Dialog title={t.title} isOpen={isOpen} onClose={() => end(false)}>
      <p>{t.why}</p>
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
          <Button onPress={() => end(false)}>{t.cancel}</Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
