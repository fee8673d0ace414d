import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { read, useChange } from '../../api/queries.ts';
import { formatMoney, useLocale } from '../../format.ts';
import { useRole, useSession } from '../../shell/site.ts';
import { useTexts } from '../../texts.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/Dialog.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Section } from '../../ui/Page.tsx';
import { texts } from './texts.ts';

/** Closes an account, after showing what is lost. */
export function Close() {
  const t = useTexts(texts);
  const locale = useLocale();
  const { account } = useSession();
  const isOwner = useRole('owner');
  const { data: wallet } = useQuery(read('getWallet'));
  const [isAsking, setAsking] = useState(false);
  const name = account?.name ?? '';
  const close = useChange('closeAccount', { onDone: () => location.assign('/panel/') });
  return (
    <Section title={t.closeTitle} description={t.closeWhy}>
      <p>{t.closeFirst}</p>
      {wallet && wallet.balance_minor > 0 && (
        <Notice kind="warn" title={formatMoney(wallet.balance_minor, wallet.currency, locale)}>
          {t.closeMoney}
        </Notice>
      )}
      <p>{t.closeKeeps}</p>
      {isOwner ? (
        <div>
          <Button look="danger" onPress={() => setAsking(true)}>
            {t.closeGo}
          </Button>
        </div>
      ) : (
        <Notice>{t.ownersOnly}</Notice>
      )}
      <ConfirmDialog
        title={t.closeWord(name)}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        confirm={t.closeGo}
        onConfirm={() => close.mutate({ body: { name } })}
        isPending={close.isPending}
        error={close.error}
        word={name}
      >
        <p>{t.closeWhy}</p>
      </ConfirmDialog>
    </Section>
  );
}
