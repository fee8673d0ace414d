import { useInfiniteQuery } from '@tanstack/react-query';
import { readPages } from '../../api/queries.ts';
import { useTexts } from '../../texts.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { More } from '../../ui/More.tsx';
import { Empty, Stack } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { Money, TimeOf } from '../../ui/Values.tsx';
import { MachineName } from './MachineName.tsx';
import { MoneyStateOf } from './states.tsx';
import { texts } from './texts.ts';

export function Orders() {
  const t = useTexts(texts);
  const query = useInfiniteQuery(readPages('listOrders', { query: {} }));
  return (
    <Loaded query={query}>
      {(orders) => (
        <Stack>
          <Table
            label={t.orders}
            rows={orders}
            keyOf={({ id }) => id}
            empty={<Empty title={t.noOrders}>{t.noOrdersWhy}</Empty>}
            columns={[
              {
                id: 'what',
                title: t.what,
                narrow: 'title',
                cell: ({ kind, adjustment }) => (adjustment ? `${t[kind]}: ${adjustment.reason}` : t[kind]),
              },
              { id: 'vm', title: t.machine, cell: ({ vm_id }) => vm_id && <MachineName id={vm_id} /> },
              { id: 'when', title: t.when, cell: ({ created_at }) => <TimeOf at={created_at} /> },
              { id: 'state', title: t.state, cell: ({ status }) => <MoneyStateOf state={status} /> },
              {
                id: 'amount',
                title: t.amount,
                align: 'end',
                narrow: 'aside',
                cell: ({ amount_minor, currency }) => (
                  <Money minor={-amount_minor} currency={currency} sign />
                ),
              },
              {
                id: 'balance',
                title: t.balance,
                align: 'end',
                cell: ({ balance_after_minor, currency }) =>
                  balance_after_minor !== null && <Money minor={balance_after_minor} currency={currency} />,
              },
            ]}
          />
          <More query={query} />
        </Stack>
      )}
    </Loaded>
  );
}
