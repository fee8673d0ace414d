import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { readPages } from '../../api/queries.ts';
import { defineTexts, useTexts } from '../../texts.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { More } from '../../ui/More.tsx';
import { Empty, Stack } from '../../ui/Page.tsx';
import { Select } from '../../ui/Select.tsx';
import { Table } from '../../ui/Table.tsx';
import { Money, Mono, TimeOf } from '../../ui/Values.tsx';
import { texts } from './texts.ts';

const reasons = defineTexts(
  {
    top_up: 'Top-up',
    hold: 'Held for an order',
    capture: 'Held amount charged',
    charge: 'Charged',
    release: 'Hold released',
    refund: 'Refunded',
    debt: 'Not covered, now owed',
    debt_paid: 'Debt of a deleted machine paid',
    all: 'All',
    month: 'This month',
    lastMonth: 'Last month',
    time: 'Period',
  },
  {
    top_up: 'Aufladung',
    hold: 'Für eine Bestellung vorgemerkt',
    capture: 'Vorgemerkten Betrag abgebucht',
    charge: 'Abgebucht',
    release: 'Vormerkung aufgehoben',
    refund: 'Erstattet',
    debt: 'Nicht gedeckt, nun geschuldet',
    debt_paid: 'Schuld einer gelöschten Maschine bezahlt',
    all: 'Alle',
    month: 'Dieser Monat',
    lastMonth: 'Letzter Monat',
    time: 'Zeitraum',
  },
);

type Span = 'month' | 'lastMonth' | 'all';

/** Returns the first and last instant of a period. Billing months are in UTC. */
function boundsOf(span: Span): { from?: string; to?: string } {
  const now = new Date();
  const month = (offset: number) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1)).toISOString();
  if (span === 'all') return {};
  return span === 'month' ? { from: month(0) } : { from: month(-1), to: month(0) };
}

/** All wallet entries of a period, with the balance after each. */
export function Statement() {
  const t = useTexts(texts);
  const r = useTexts(reasons);
  const [span, setSpan] = useState<Span>('month');
  const [bounds, setBounds] = useState(() => boundsOf('month'));
  const query = useInfiniteQuery(readPages('getStatement', { query: { limit: 100, ...bounds } }));
  const choose = (span: Span) => {
    setSpan(span);
    setBounds(boundsOf(span));
  };
  return (
    <Stack>
      <div style={{ maxWidth: 220 }}>
        <Select
          label={r.time}
          isLabelHidden
          value={span}
          onChange={choose}
          options={(['month', 'lastMonth', 'all'] as const).map((value) => ({ value, label: r[value] }))}
        />
      </div>
      <Loaded query={query}>
        {(entries) => (
          <Stack>
            <Table
              label={t.statement}
              rows={entries}
              keyOf={({ entry }) => String(entry)}
              empty={<Empty title={t.noStatement} />}
              columns={[
                {
                  id: 'what',
                  title: t.what,
                  narrow: 'title',
                  cell: ({ reason }) => (r as Record<string, string>)[reason] ?? reason,
                },
                { id: 'when', title: t.when, cell: ({ at }) => <TimeOf at={at} /> },
                {
                  id: 'of',
                  title: t.reference,
                  narrow: 'hide',
                  cell: ({ order_id, payment_id, promo_credit_id }) => (
                    <Mono>{order_id ?? payment_id ?? promo_credit_id}</Mono>
                  ),
                },
                {
                  id: 'change',
                  title: t.amount,
                  align: 'end',
                  narrow: 'aside',
                  cell: ({ change_minor, currency }) => (
                    <Money minor={change_minor} currency={currency} sign />
                  ),
                },
                {
                  id: 'balance',
                  title: t.balance,
                  align: 'end',
                  cell: ({ available_minor, currency }) => (
                    <Money minor={available_minor} currency={currency} />
                  ),
                },
              ]}
            />
            <More query={query} />
          </Stack>
        )}
      </Loaded>
    </Stack>
  );
}
