import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { PromoCredit } from '../../../../shared/api/operator.ts';
import { readPages, useChange } from '../../api/queries.ts';
import { formatMoney, useLocale } from '../../format.ts';
import { useTexts } from '../../texts.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/Dialog.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { More } from '../../ui/More.tsx';
import { Foot } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { DateOf, Money } from '../../ui/Values.tsx';
import { StateOf } from '../parts.tsx';
import { texts } from '../texts.ts';
import { MONEY_CHANGES } from './money-changes.ts';
import { accountTexts } from './texts.ts';

export function PromoCredits({ id }: { id: string }) {
  const t = useTexts(texts);
  const own = useTexts(accountTexts);
  const locale = useLocale();
  const query = useInfiniteQuery(readPages('operator.listPromoCredits', { query: { account_id: id } }));
  const [ending, setEnding] = useState<PromoCredit>();
  const revoke = useChange('operator.revokePromoCredit', {
    changes: [...MONEY_CHANGES],
    onDone: () => setEnding(undefined),
  });
  return (
    <>
      <Loaded query={query} lines={2}>
        {(credits) => (
          <Table
            label={own.promos}
            rows={credits}
            keyOf={(credit) => credit.id}
            empty={<Foot>{t.none}</Foot>}
            columns={[
              { id: 'reason', title: own.reason, narrow: 'title', cell: ({ reason }) => reason },
              {
                id: 'state',
                title: t.state,
                narrow: 'aside',
                cell: ({ status }) => <StateOf state={status} />,
              },
              {
                id: 'amount',
                title: own.given,
                align: 'end',
                cell: ({ amount_minor, currency }) => <Money minor={amount_minor} currency={currency} />,
              },
              {
                id: 'left',
                title: own.left,
                align: 'end',
                cell: ({ remaining_minor, currency }) => (
                  <Money minor={remaining_minor} currency={currency} />
                ),
              },
              { id: 'until', title: own.until, cell: ({ expires_at }) => <DateOf at={expires_at} /> },
              { id: 'who', title: t.who, cell: ({ actor }) => actor },
              {
                id: 'act',
                title: '',
                align: 'end',
                cell: (credit) =>
                  credit.status === 'active' && (
                    <Button look="quiet" onPress={() => setEnding(credit)}>
                      {own.revoke}
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
      <More query={query} />
      <ConfirmDialog
        title={own.revokePromo}
        isOpen={ending !== undefined}
        onClose={() => setEnding(undefined)}
        confirm={own.revoke}
        onConfirm={() => ending && revoke.mutate({ params: { id: ending.id } })}
        isPending={revoke.isPending}
        error={revoke.error}
      >
        <p>{ending && own.revokePromoWhy(formatMoney(ending.remaining_minor, ending.currency, locale))}</p>
      </ConfirmDialog>
    </>
  );
}
