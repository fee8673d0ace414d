import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { DeletePreview, Vm } from '../../../api/customer.ts';
import { read, useChange } from '../../../api/queries.ts';
import { formatMoney, formatTime, useLocale } from '../../../format.ts';
import { useTexts } from '../../../texts.ts';
import { Button } from '../../../ui/Button.tsx';
import { ConfirmDialog } from '../../../ui/Dialog.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Section } from '../../../ui/Page.tsx';
import { announce } from '../../../ui/Status.tsx';
import { Money } from '../../../ui/Values.tsx';
import { formatDisk, formatSeconds } from '../formats.ts';
import classes from './settings.module.css';
import { settingsTexts } from './texts.ts';

/** Shows what is lost and refunded, and deletes the machine after its name has been typed. */
export function DeleteMachine({ vm }: { vm: Vm }) {
  const t = useTexts(settingsTexts);
  const locale = useLocale();
  const navigate = useNavigate();
  const client = useQueryClient();
  const [isAsked, setIsAsked] = useState(false);
  const preview = useQuery({
    ...read('getDeletePreview', { params: { id: vm.id } }),
    enabled: isAsked,
    staleTime: 0,
  });
  const remove = useChange('deleteVm', {
    changes: ['getWallet', 'getBillingSummary'],
    onDone: ({ refund }) => {
      announce(
        refund.amount_minor > 0
          ? t.deletedWith(formatMoney(refund.amount_minor, refund.currency, locale))
          : t.deleted,
      );
      void client.invalidateQueries({ queryKey: ['machines'] });
      void client.invalidateQueries({ queryKey: ['listVms'] });
      void navigate({ to: '/machines' });
    },
  });
  const ask = () => {
    remove.reset();
    setIsAsked(true);
  };
  const isDeletable = preview.data?.deletable ?? false;
  return (
    <Section title={t.delete} description={t.deleteIs}>
      <div>
        <Button look="danger" icon="trash" isDisabled={vm.status === 'deleting'} onPress={ask}>
          {t.deleteThis}
        </Button>
      </div>
      <ConfirmDialog
        title={t.deleteTitle(vm.hostname)}
        isOpen={isAsked}
        onClose={() => setIsAsked(false)}
        confirm={t.deleteGood}
        // Without the preview the customer cannot know what would be lost, so no typed word is accepted.
        word={isDeletable ? vm.hostname : ' '}
        isPending={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate({ params: { id: vm.id } })}
      >
        <Loaded query={preview}>
          {(loaded) => <Lost preview={loaded} isHourly={vm.billing_mode === 'hourly'} />}
        </Loaded>
      </ConfirmDialog>
    </Section>
  );
}

function Lost({ preview, isHourly }: { preview: DeletePreview; isHourly: boolean }) {
  const t = useTexts(settingsTexts);
  const locale = useLocale();
  const { currency, refund_minor, usage_minor, charged_minor, debt_minor } = preview;
  const { refund_promo_minor, refund_promo_expires_at } = preview;
  return (
    <div className={classes.lost}>
      {preview.blockers.map(({ code, message }) => (
        <Notice key={code} kind="warn">
          {message}
        </Notice>
      ))}
      <h3>{t.lost}</h3>
      <ul>
        {preview.data_lost.map(({ id, type, name, size_gb }) => (
          <li key={id}>
            <span>{t[type]}</span> <b>{name}</b>
            {size_gb !== null && `, ${formatDisk(size_gb, locale)}`}
          </li>
        ))}
      </ul>
      <h3>{t.comesBack}</h3>
      <p>
        <Money minor={refund_minor} currency={currency} />{' '}
        {isHourly ? t.released : t.forUnused(formatSeconds(preview.unused_seconds))}
      </p>
      {refund_promo_expires_at && (
        <p>
          {t.asCredit(
            formatMoney(refund_promo_minor, currency, locale),
            formatTime(refund_promo_expires_at, locale),
          )}
        </p>
      )}
      {usage_minor > 0 && (
        <p>
          {t.usage} <Money minor={usage_minor} currency={currency} />
        </p>
      )}
      {charged_minor > 0 && (
        <p>
          {t.charged} <Money minor={charged_minor} currency={currency} />
        </p>
      )}
      {debt_minor > 0 && (
        <p>
          {t.debt} <Money minor={debt_minor} currency={currency} />
        </p>
      )}
    </div>
  );
}
