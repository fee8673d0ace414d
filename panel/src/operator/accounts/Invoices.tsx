import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { readPages } from '../../api/queries.ts';
import { formatMonth, useLocale } from '../../format.ts';
import { save } from '../../save.ts';
import { useTexts } from '../../texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { More } from '../../ui/More.tsx';
import { Foot } from '../../ui/Page.tsx';
import { announce } from '../../ui/Status.tsx';
import { Table } from '../../ui/Table.tsx';
import { DateOf, Money, Mono } from '../../ui/Values.tsx';
import { StateOf } from '../parts.tsx';
import { texts } from '../texts.ts';
import { accountTexts } from './texts.ts';

/** An account's documents; issued ones can be downloaded. */
export function Invoices({ id }: { id: string }) {
  const t = useTexts(texts);
  const own = useTexts(accountTexts);
  const locale = useLocale();
  const query = useInfiniteQuery(readPages('operator.listInvoices', { params: { id }, query: {} }));
  return (
    <>
      <Loaded query={query} lines={2}>
        {(invoices) => (
          <Table
            label={own.invoices}
            rows={invoices}
            keyOf={(invoice) => invoice.id}
            empty={<Foot>{t.none}</Foot>}
            columns={[
              {
                id: 'number',
                title: own.number,
                narrow: 'title',
                cell: ({ number }) => (number ? <Mono>{number}</Mono> : own.noNumber),
              },
              { id: 'type', title: own.why, cell: ({ type }) => own[type] },
              { id: 'state', title: t.state, cell: ({ status }) => <StateOf state={status} /> },
              {
                id: 'month',
                title: t.month_of,
                cell: ({ period_start_at }) => formatMonth(period_start_at, locale),
              },
              {
                id: 'issued',
                title: own.issued,
                cell: ({ issued_at: at }) => (at ? <DateOf at={at} /> : '–'),
              },
              {
                id: 'total',
                title: own.amount,
                align: 'end',
                narrow: 'aside',
                cell: ({ total_minor, currency }) => <Money minor={total_minor} currency={currency} />,
              },
              {
                id: 'files',
                title: '',
                align: 'end',
                cell: (invoice) =>
                  invoice.number && (
                    <>
                      <FileButton id={invoice.id} number={invoice.number} format="pdf" />
                      <FileButton id={invoice.id} number={invoice.number} format="xml" />
                    </>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
      <More query={query} />
    </>
  );
}

function FileButton({ id, number, format }: { id: string; number: string; format: 'pdf' | 'xml' }) {
  const t = useTexts(accountTexts);
  const [isPending, setPending] = useState(false);
  const download = async () => {
    setPending(true);
    try {
      const { name, base64 } = await call('operator.getInvoiceDocument', {
        params: { id },
        query: { format },
      });
      save(new Blob([Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))]), name);
    } catch {
      announce(t.noDocument, 'bad');
    } finally {
      setPending(false);
    }
  };
  const word = format.toUpperCase();
  return (
    <Button look="quiet" isPending={isPending} onPress={download} label={`${word} ${number}`}>
      {word}
    </Button>
  );
}
