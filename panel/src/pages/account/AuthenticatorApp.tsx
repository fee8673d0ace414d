import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { useSession } from '../../shell/site.ts';
import { useTexts } from '../../texts.ts';
import { State } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog, Dialog } from '../../ui/Dialog.tsx';
import { Field } from '../../ui/Field.tsx';
import { Form, FormActions, textOf } from '../../ui/Form.tsx';
import { Problem } from '../../ui/Notice.tsx';
import { Card } from '../../ui/Page.tsx';
import { Address } from '../../ui/Values.tsx';
import { QrCode } from './QrCode.tsx';
import { KeepRecoveryCodes } from './RecoveryCodes.tsx';
import { texts } from './texts.ts';

/** Turns the codes of an authenticator app on or off as a second factor. */
export function AuthenticatorApp() {
  const t = useTexts(texts);
  const { factors } = useSession();
  const [isRemoving, setRemoving] = useState(false);
  const [codes, setCodes] = useState<string[]>();
  const begin = useChange('beginTotp');
  const keep = (made: string[]) => {
    begin.reset();
    setCodes(made);
  };
  const remove = useChange('removeTotp', { changes: ['getSession'], onDone: () => setRemoving(false) });
  return (
    <Card
      title={t.app}
      actions={
        factors.totp ? (
          <Button look="danger" onPress={() => setRemoving(true)}>
            {t.turnOff}
          </Button>
        ) : (
          <Button isPending={begin.isPending} onPress={() => begin.mutate({})}>
            {t.setUp}
          </Button>
        )
      }
    >
      <State tone={factors.totp ? 'ok' : 'faint'} shape={factors.totp ? 'dot' : 'square'}>
        {factors.totp ? t.on : t.off}
      </State>
      <p>{factors.totp ? t.appOn : t.appOff}</p>
      {begin.error && <Problem error={begin.error} />}
      {begin.data && <SetUp offer={begin.data} onClose={begin.reset} onDone={keep} />}
      {codes && <KeepRecoveryCodes codes={codes} onClose={() => setCodes(undefined)} />}
      <ConfirmDialog
        title={t.turnOffTitle}
        isOpen={isRemoving}
        onClose={() => setRemoving(false)}
        confirm={t.turnOff}
        onConfirm={() => remove.mutate({})}
        isPending={remove.isPending}
        error={remove.error}
      >
        <p>{t.turnOffWhy}</p>
      </ConfirmDialog>
    </Card>
  );
}

function SetUp({
  offer: { uri, secret },
  onClose,
  onDone,
}: {
  offer: { uri: string; secret: string };
  onClose: () => void;
  onDone: (codes: string[]) => void;
}) {
  const t = useTexts(texts);
  const confirm = useChange('confirmTotp', {
    changes: ['getSession'],
    onDone: ({ recovery_codes }) => onDone(recovery_codes),
  });
  return (
    <Dialog title={t.app} isOpen onClose={onClose}>
      <p>{t.scan}</p>
      <QrCode text={uri} label={t.qr} />
      <p>
        {t.cannotScan} <Address what={t.secret}>{secret}</Address>
      </p>
      <Form
        error={confirm.error}
        onSubmit={(values) => confirm.mutate({ body: { code: textOf(values, 'code').replace(/\s/g, '') } })}
      >
        <Field
          label={t.code}
          name="code"
          inputMode="numeric"
          autoComplete="one-time-code"
          mono
          isRequired
          autoFocus
        />
        <FormActions>
          <Button look="main" type="submit" isPending={confirm.isPending}>
            {t.confirm}
          </Button>
          <Button onPress={onClose}>{t.cancel}</Button>
        </FormActions>
      </Form>
    </Dialog>
  );
}
