import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { readPages } from '../../api/queries.ts';
import { useTexts } from '../../texts.ts';
import { buttonClass } from '../../ui/Button.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { More } from '../../ui/More.tsx';
import { Empty, Stack } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { Money, Mono, TimeOf } from '../../ui/Values.tsx';
import { useMethodName } from './method-name.ts';
import { MoneyStateOf } from './states.tsx';
import { texts } from './texts.ts';

export function Payments() {
  const t = useTexts(texts);
  const nameOf = useMethodName();
  const query = useInfiniteQuery(readPages('listPayments', { query: {} }));
  const topUp = (
    <Link to="/billing/top-up" className={buttonClass('main')}>
      {t.topUp}
    </Link>
  );
  return (
    <Loaded query={query}>
      {(payments) => (
        <Stack>
          <Table
            label={t.payments}
            rows={payments}
            keyOf={({ id }) => id}
            empty={
              <Empty title={t.noPayments} action={topUp}>
                {t.noPaymentsWhy}
              </Empty>
            }
            columns={[
              { id: 'method', title: t.method, narrow: 'title', cell: ({ method }) => nameOf(method) },
              { id: 'when', title: t.when, cell: ({ created_at }) => <TimeOf at={created_at} /> },
              { id: 'reference', title: t.reference, cell: ({ reference }) => <Mono>{reference}</Mono> },
              { id: 'state', title: t.state, cell: ({ status }) => <MoneyStateOf state={status} /> },
              {
                id: 'amount',
                title: t.amount,
                align: 'end',
                narrow: 'aside',
                cell: ({ amount_minor, currency }) => <Money minor={amount_minor} currency={currency} />,
              },
            ]}
          />
          <More query={query} />
        </Stack>
      )}
    </Loaded>
  );
}
