import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Order } from '../../../../shared/api/operator.ts';
import { readPages, useChange } from '../../api/queries.ts';
import { useTexts } from '../../texts.ts';
import { Button } from '../../ui/Button.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Menu } from '../../ui/Menu.tsx';
import { More } from '../../ui/More.tsx';
import { Foot } from '../../ui/Page.tsx';
import { announce } from '../../ui/Status.tsx';
import { Table } from '../../ui/Table.tsx';
import { Money, Mono, TimeOf } from '../../ui/Values.tsx';
import { AmountField, amountOf, ReasonField, reasonOf } from '../money-fields.tsx';
import { MachineLink, StateOf, shortId } from '../parts.tsx';
import { texts } from '../texts.ts';
import { MONEY_CHANGES } from './money-changes.ts';
import { accountTexts } from './texts.ts';

/** `refund` returns a charge, `void` undoes an order. */
interface Correction {
  order: Order;
  verb: 'refund' | 'void';
}

/** An account's charges and refunds, with dialogs to correct them. */
export function Orders({ id }: { id: string }) {
  const t = useTexts(texts);
  const own = useTexts(accountTexts);
  const query = useInfiniteQuery(readPages('operator.listOrders', { params: { id }, query: {} }));
  const [correction, setCorrection] = useState<Correction>();
  return (
    <>
      <Loaded query={query} lines={2}>
        {(orders) => (
          <Table
            label={own.orders}
            rows={orders}
            keyOf={(order) => order.id}
            empty={<Foot>{t.none}</Foot>}
            columns={[
              { id: 'kind', title: own.why, narrow: 'title', cell: ({ kind }) => own[`order_${kind}`] },
              {
                id: 'amount',
                title: own.amount,
                align: 'end',
                narrow: 'aside',
                cell: ({ amount_minor, currency }) => <Money minor={amount_minor} currency={currency} />,
              },
              { id: 'state', title: t.state, cell: ({ status }) => <StateOf state={status} /> },
              { id: 'id', title: t.id, cell: (order) => <Mono>{shortId(order.id)}</Mono> },
              {
                id: 'vm',
                title: t.machine,
                cell: ({ vm_id }) => (vm_id ? <MachineLink id={vm_id} /> : '–'),
              },
              { id: 'when', title: t.when, cell: ({ created_at }) => <TimeOf at={created_at} /> },
              {
                id: 'act',
                title: '',
                align: 'end',
                cell: (order) =>
                  order.status === 'completed' && <Actions order={order} onDo={setCorrection} />,
              },
            ]}
          />
        )}
      </Loaded>
      <More query={query} />
      {correction && <CorrectionDialog {...correction} onClose={() => setCorrection(undefined)} />}
    </>
  );
}

function Actions({ order, onDo }: { order: Order; onDo: (correction: Correction) => void }) {
  const t = useTexts(accountTexts);
  const undo = { id: 'void', label: t.voidGo, onAction: () => onDo({ order, verb: 'void' }) };
  const refund = { id: 'refund', label: t.refundGo, onAction: () => onDo({ order, verb: 'refund' }) };
  const label = t.correct(shortId(order.id));
  return (
    <Menu
      label={label}
      trigger={<Button look="quiet" icon="more" label={label} />}
      choices={order.amount_minor > 0 ? [refund, undo] : [undo]}
    />
  );
}

function CorrectionDialog({ order, verb, onClose }: Correction & { onClose: () => void }) {
  const t = useTexts(accountTexts);
  // A retry after a lost reply sends the same key, so that nothing is booked twice.
  const [key] = useState(() => crypto.randomUUID());
  const done = {
    changes: [...MONEY_CHANGES],
    onDone: () => {
      announce(t.booked);
      onClose();
    },
  };
  const refund = useChange('operator.refundOrder', done);
  const undo = useChange('operator.voidOrder', done);
  const isRefund = verb === 'refund';
  const params = { id: order.id };
  const submit = (values: FormData) => {
    const reason = reasonOf(values);
    const amount = amountOf(values, order.currency);
    if (isRefund) refund.mutate({ params, body: { reason, key, ...(amount && { amount }) } });
    else undo.mutate({ params, body: { reason, key } });
  };
  return (
    <FormDialog
      title={isRefund ? t.refundTitle : t.voidTitle}
      onClose={onClose}
      submit={isRefund ? t.refundGo : t.voidGo}
      change={isRefund ? refund : undo}
      onSubmit={submit}
    >
      <p>
        {t[`order_${order.kind}`]}, <Money minor={order.amount_minor} currency={order.currency} />.{' '}
        {isRefund ? t.refundWhy : t.voidWhy}
      </p>
      {isRefund && <AmountField currency={order.currency} hint={t.refundAmount} />}
      <ReasonField />
    </FormDialog>
  );
}
