import { useState } from 'react';
import { useChange } from '../../api/queries.ts';
import { useSession } from '../../shell/site.ts';
import { useTexts } from '../../texts.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog, Dialog } from '../../ui/Dialog.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Card } from '../../ui/Page.tsx';
import { CodeBlock } from '../../ui/Values.tsx';
import { texts } from './texts.ts';

/** Shows how many recovery codes are left and creates new ones. */
export function RecoveryCodes() {
  const t = useTexts(texts);
  const { factors } = useSession();
  const [isAsking, setAsking] = useState(false);
  const renew = useChange('renewRecoveryCodes', { changes: ['getSession'], onDone: () => setAsking(false) });
  return (
    <Card title={t.recovery} actions={<Button onPress={() => setAsking(true)}>{t.recoveryNew}</Button>}>
      <p>{t.recoveryLeft(factors.recovery_codes)}</p>
      <p>{t.recoveryWhy}</p>
      <ConfirmDialog
        title={t.recoveryNewTitle}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        confirm={t.recoveryNew}
        onConfirm={() => renew.mutate({})}
        isPending={renew.isPending}
        error={renew.error}
      >
        <p>{t.recoveryNewWhy}</p>
      </ConfirmDialog>
      {renew.data && <KeepRecoveryCodes codes={renew.data.recovery_codes} onClose={renew.reset} />}
    </Card>
  );
}

/** Shows new codes, which are never shown again. */
export function KeepRecoveryCodes({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const t = useTexts(texts);
  return (
    <Dialog
      title={t.recovery}
      isOpen
      isKept
      onClose={onClose}
      footer={
        <Button look="main" onPress={onClose}>
          {t.recoveryKept}
        </Button>
      }
    >
      <Notice kind="warn">{t.recoveryKeep}</Notice>
      <CodeBlock what={t.recovery}>{codes.join('\n')}</CodeBlock>
    </Dialog>
  );
}
