import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { TopUp } from '../../../../shared/api/operator.ts';
import { readPages, useChange } from '../../api/queries.ts';
import { useTexts } from '../../texts.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/Dialog.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { More } from '../../ui/More.tsx';
import { Columns, Foot, Page, Section, Stack } from '../../ui/Page.tsx';
import { announce } from '../../ui/Status.tsx';
import { Table } from '../../ui/Table.tsx';
import { Ago, Money as Amount, Mono, TimeOf } from '../../ui/Values.tsx';
import { AmountField, amountOf, ReasonField, reasonOf } from '../money-fields.tsx';
import { MoneyCard } from '../Overview.tsx';
import { overviewQuery } from '../overview-query.ts';
import { AccountLink, StateOf } from '../parts.tsx';
import { texts } from '../texts.ts';
import { Books } from './Books.tsx';
import { Documents } from './Documents.tsx';
import { HeldDocuments } from './HeldDocuments.tsx';

const CHANGED = ['operator.listTopUps', 'operator.getOverview', 'operator.getAccount'] as const;

export function Money() {
  const t = useTexts(texts);
  const query = useQuery(overviewQuery);
  return (
    <Page title={t.money}>
      <Stack>
        <Loaded query={query} lines={2}>
          {(all) => (
            <Columns>
              <MoneyCard title={t.today} money={all.today} currency={all.currency} />
              <MoneyCard title={t.month} money={all.month} currency={all.currency} />
            </Columns>
          )}
        </Loaded>
        <Section title={t.transfers} description={t.transfersWhy}>
          <Transfers />
        </Section>
        <HeldDocuments />
        <Documents />
        <Section title={t.topUps}>
          <TopUps />
        </Section>
        <Section title={t.books}>
          <Books />
        </Section>
      </Stack>
    </Page>
  );
}

function Transfers() {
  const t = useTexts(texts);
  const query = useInfiniteQuery(
    readPages('operator.listTopUps', { query: { status: 'pending', provider: 'bank_transfer' } }),
  );
  const [arrived, setArrived] = useState<TopUp>();
  const confirm = useChange('operator.confirmTopUp', {
    changes: [...CHANGED],
    onDone: ({ reference }) => {
      announce(t.confirmed(reference));
      setArrived(undefined);
    },
  });
  return (
    <>
      <Loaded query={query} lines={2}>
        {(topUps) => (
          <Table
            label={t.transfers}
            rows={topUps}
            keyOf={({ id }) => id}
            empty={<Foot>{t.noTransfers}</Foot>}
            columns={[
              {
                id: 'ref',
                title: t.reference,
                narrow: 'title',
                cell: ({ reference }) => <Mono>{reference}</Mono>,
              },
              {
                id: 'amount',
                title: t.amount,
                align: 'end',
                narrow: 'aside',
                cell: ({ amount_minor, currency }) => <Amount minor={amount_minor} currency={currency} />,
              },
              { id: 'account', title: t.account, cell: ({ account_id }) => <AccountLink id={account_id} /> },
              { id: 'since', title: t.announced, cell: ({ created_at }) => <Ago at={created_at} /> },
              {
                id: 'act',
                title: '',
                align: 'end',
                cell: (topUp) => <Button onPress={() => setArrived(topUp)}>{t.confirm}</Button>,
              },
            ]}
          />
        )}
      </Loaded>
      <More query={query} />
      <ConfirmDialog
        title={t.confirmTitle(arrived?.reference ?? '')}
        isOpen={arrived !== undefined}
        onClose={() => setArrived(undefined)}
        confirm={t.confirm}
        onConfirm={() =>
          arrived &&
          confirm.mutate({ params: { id: arrived.id }, body: { amount_minor: arrived.amount_minor } })
        }
        isPending={confirm.isPending}
        error={confirm.error}
      >
        <p>
          {arrived && (
            <strong>
              <Amount minor={arrived.amount_minor} currency={arrived.currency} />
            </strong>
          )}{' '}
          {t.confirmWhy}
        </p>
      </ConfirmDialog>
    </>
  );
}

function TopUps() {
  const t = useTexts(texts);
  const query = useInfiniteQuery(readPages('operator.listTopUps', { query: {} }));
  const [refunded, setRefunded] = useState<TopUp>();
  return (
    <>
      <Loaded query={query} lines={2}>
        {(topUps) => (
          <Table
            label={t.topUps}
            rows={topUps}
            keyOf={({ id }) => id}
            empty={<Foot>{t.none}</Foot>}
            columns={[
              {
                id: 'ref',
                title: t.reference,
                narrow: 'title',
                cell: ({ reference }) => <Mono>{reference}</Mono>,
              },
              {
                id: 'state',
                title: t.state,
                narrow: 'aside',
                cell: ({ status }) => <StateOf state={status} />,
              },
              {
                id: 'amount',
                title: t.amount,
                align: 'end',
                cell: ({ amount_minor, currency }) => <Amount minor={amount_minor} currency={currency} />,
              },
              { id: 'by', title: t.paidBy, cell: ({ provider }) => provider.replaceAll('_', ' ') },
              { id: 'account', title: t.account, cell: ({ account_id }) => <AccountLink id={account_id} /> },
              { id: 'when', title: t.when, cell: ({ created_at }) => <TimeOf at={created_at} /> },
              {
                id: 'act',
                title: '',
                align: 'end',
                cell: (topUp) =>
                  topUp.status === 'succeeded' && (
                    <Button look="quiet" onPress={() => setRefunded(topUp)}>
                      {t.refund}
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
      <More query={query} />
      {refunded && <Refund topUp={refunded} onClose={() => setRefunded(undefined)} />}
    </>
  );
}

function Refund({ topUp, onClose }: { topUp: TopUp; onClose: () => void }) {
  const t = useTexts(texts);
  const refund = useChange('operator.refundTopUp', { changes: [...CHANGED], onDone: onClose });
  const submit = (values: FormData) => {
    const amount = amountOf(values, topUp.currency);
    const reason = reasonOf(values);
    refund.mutate({ params: { id: topUp.id }, body: { reason, ...(amount && { amount }) } });
  };
  return (
    <FormDialog
      title={t.refundTitle(topUp.reference)}
      onClose={onClose}
      submit={t.refund}
      change={refund}
      onSubmit={submit}
    >
      <AmountField currency={topUp.currency} hint={t.refundAmount} />
      <ReasonField />
    </FormDialog>
  );
}
