import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { readPages } from '../../api/queries.ts';
import { defineTexts, useTexts } from '../../texts.ts';
import { buttonClass } from '../../ui/Button.tsx';
import { FormActions } from '../../ui/Form.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { More } from '../../ui/More.tsx';
import { Foot, Section } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { Money, Mono } from '../../ui/Values.tsx';
import { AccountLink, StateOf } from '../parts.tsx';
import { isMonth, MonthField } from './MonthField.tsx';

const documentTexts = defineTexts(
  {
    title: 'Documents',
    why: 'Invoices and credit notes of all accounts. The archive contains the PDF and XML of every issued document.',
    none: 'No documents in this month.',
    month: 'Month',
    archive: 'Download all',
    sales: 'Sales as CSV',
    number: 'Number',
    draft: 'No number yet',
    buyer: 'Buyer',
    country: 'Country',
    vatId: 'VAT ID',
    state: 'State',
    tax: 'Tax',
    total: 'Total',
  },
  {
    title: 'Belege',
    why: 'Rechnungen und Rechnungskorrekturen aller Konten. Das Archiv enthält PDF und XML aller ausgestellten Belege.',
    none: 'Keine Belege in diesem Monat.',
    month: 'Monat',
    archive: 'Alle herunterladen',
    sales: 'Umsätze als CSV',
    number: 'Nummer',
    draft: 'Noch keine Nummer',
    buyer: 'Kunde',
    country: 'Land',
    vatId: 'USt-IdNr.',
    state: 'Zustand',
    tax: 'Steuer',
    total: 'Summe',
  },
);

/** Returns the previous month, which is the latest one with issued documents. */
function lastMonth(): string {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1)).toISOString().slice(0, 7);
}

/** Downloads the documents of all accounts for a month, and a list of all sales. */
export function Documents() {
  const t = useTexts(documentTexts);
  const [month, setMonth] = useState(lastMonth);
  return (
    <Section title={t.title} description={t.why}>
      <MonthField label={t.month} value={month} onChange={setMonth} />
      {isMonth(month) && (
        <>
          <FormActions>
            <a
              className={buttonClass()}
              href={`/operator/api/documents/archive?month=${month}`}
              download={`documents-${month}.tar.gz`}
            >
              {t.archive}
            </a>
            <a
              className={buttonClass()}
              href={`/operator/api/sales?month=${month}`}
              download={`sales-${month}.csv`}
            >
              {t.sales}
            </a>
          </FormActions>
          <OfMonth month={month} />
        </>
      )}
    </Section>
  );
}

function OfMonth({ month }: { month: string }) {
  const t = useTexts(documentTexts);
  const query = useInfiniteQuery(readPages('operator.listDocuments', { query: { month } }));
  return (
    <>
      <Loaded query={query} lines={2}>
        {(documents) => (
          <Table
            label={t.title}
            rows={documents}
            keyOf={({ id }) => id}
            empty={<Foot>{t.none}</Foot>}
            columns={[
              {
                id: 'number',
                title: t.number,
                narrow: 'title',
                cell: ({ number }) => (number ? <Mono>{number}</Mono> : t.draft),
              },
              {
                id: 'buyer',
                title: t.buyer,
                cell: ({ buyer, account_id }) => buyer?.name ?? <AccountLink id={account_id} />,
              },
              { id: 'country', title: t.country, cell: ({ buyer }) => buyer?.country ?? '–' },
              {
                id: 'vat',
                title: t.vatId,
                cell: ({ buyer }) => (buyer?.vat_id ? <Mono>{buyer.vat_id}</Mono> : '–'),
              },
              { id: 'state', title: t.state, cell: ({ status }) => <StateOf state={status} /> },
              {
                id: 'tax',
                title: t.tax,
                align: 'end',
                cell: ({ tax_minor, currency }) => <Money minor={tax_minor} currency={currency} />,
              },
              {
                id: 'total',
                title: t.total,
                align: 'end',
                narrow: 'aside',
                cell: ({ total_minor, currency }) => <Money minor={total_minor} currency={currency} />,
              },
            ]}
          />
        )}
      </Loaded>
      <More query={query} />
    </>
  );
}
