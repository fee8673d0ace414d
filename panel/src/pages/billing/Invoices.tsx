import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { readPages } from '../../api/queries.ts';
import { formatDate, useLocale } from '../../format.ts';
import { useTexts } from '../../texts.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { More } from '../../ui/More.tsx';
import { Empty, Stack } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { DateOf, Money } from '../../ui/Values.tsx';
import { PdfButton } from './PdfButton.tsx';
import { MoneyStateOf } from './states.tsx';
import { texts } from './texts.ts';

export function Invoices() {
  const t = useTexts(texts);
  const locale = useLocale();
  const query = useInfiniteQuery(readPages('listInvoices', { query: {} }));
  return (
    <Loaded query={query}>
      {(invoices) => (
        <Stack>
          <Table
            label={t.invoices}
            rows={invoices}
            keyOf={({ id }) => id}
            empty={<Empty title={t.noInvoices}>{t.noInvoicesWhy}</Empty>}
            columns={[
              {
                id: 'number',
                title: t.number,
                narrow: 'title',
                cell: ({ id, number }) => (
                  <Link to="/billing/invoices/$id" params={{ id }}>
                    {number ?? t.noNumber}
                  </Link>
                ),
              },
              { id: 'type', title: t.type, cell: ({ type }) => t[type] },
              {
                id: 'period',
                title: t.period,
                cell: ({ period_start_at, period_end_at }) =>
                  `${formatDate(period_start_at, locale)} – ${formatDate(period_end_at, locale)}`,
              },
              {
                id: 'issued',
                title: t.issued,
                cell: ({ issued_at }) => issued_at && <DateOf at={issued_at} />,
              },
              { id: 'state', title: t.state, cell: ({ status }) => <MoneyStateOf state={status} /> },
              {
                id: 'total',
                title: t.total,
                align: 'end',
                narrow: 'aside',
                cell: ({ total_minor, currency }) => <Money minor={total_minor} currency={currency} />,
              },
              {
                id: 'pdf',
                title: '',
                align: 'end',
                narrow: 'hide',
                cell: ({ id, number }) => number && <PdfButton id={id} number={number} small />,
              },
            ]}
          />
          <More query={query} />
        </Stack>
      )}
    </Loaded>
  );
}
