import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { InvoiceParty, InvoiceWithLines } from '../../api/customer.ts';
import { read } from '../../api/queries.ts';
import { formatDate, formatDecimal, useLocale } from '../../format.ts';
import { useTexts } from '../../texts.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { Card, Columns, Facts, Page, Stack } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { DateOf, Money, Mono } from '../../ui/Values.tsx';
import classes from './Billing.module.css';
import { PdfButton } from './PdfButton.tsx';
import { MoneyStateOf } from './states.tsx';
import { texts } from './texts.ts';

const route = getRouteApi('/shell/billing/invoices/$id');

export function Invoice() {
  const { id } = route.useParams();
  const query = useQuery(read('getInvoice', { params: { id } }));
  return <Loaded query={query}>{(invoice) => <InvoicePage invoice={invoice} />}</Loaded>;
}

function InvoicePage({ invoice }: { invoice: InvoiceWithLines }) {
  const t = useTexts(texts);
  const locale = useLocale();
  const { id, number, type, status, seller, buyer, issued_at, period_start_at, period_end_at } = invoice;
  const { corrects, order_reference } = invoice;
  return (
    <Page
      title={`${t[type]} ${number ?? t.noNumber}`}
      aside={<MoneyStateOf state={status} />}
      actions={number && <PdfButton id={id} number={number} />}
    >
      <Stack>
        <Link to="/billing/invoices">← {t.back}</Link>
        <Columns>
          {seller && <Party title={t.seller} party={seller} />}
          {buyer && <Party title={t.buyer} party={buyer} />}
          <Card>
            <Facts
              facts={[
                [t.period, `${formatDate(period_start_at, locale)} – ${formatDate(period_end_at, locale)}`],
                ...(issued_at ? [[t.issued, <DateOf key="at" at={issued_at} />] as [string, ReactNode]] : []),
                ...(order_reference ? [[t.orderReference, order_reference] as [string, ReactNode]] : []),
                ...corrects.map(({ invoice_id, number }): [string, ReactNode] => [
                  t.corrects,
                  <Link key={invoice_id} to="/billing/invoices/$id" params={{ id: invoice_id }}>
                    {number ?? invoice_id}
                  </Link>,
                ]),
              ]}
            />
          </Card>
        </Columns>
        <Lines invoice={invoice} />
        <Sums invoice={invoice} />
      </Stack>
    </Page>
  );
}

function Party({ title, party }: { title: string; party: InvoiceParty }) {
  const { name, street, postcode, city, country, vat_id } = party;
  return (
    <Card title={title}>
      <address style={{ fontStyle: 'normal' }}>
        {[name, street, [postcode, city].filter(Boolean).join(' '), country].filter(Boolean).map((line) => (
          <div key={line}>{line}</div>
        ))}
        {vat_id && <Mono>{vat_id}</Mono>}
      </address>
    </Card>
  );
}

function Lines({ invoice: { lines, currency } }: { invoice: InvoiceWithLines }) {
  const t = useTexts(texts);
  const locale = useLocale();
  const numbered = lines.map((line, index) => ({ ...line, index }));
  return (
    <Table
      label={t.description}
      rows={numbered}
      keyOf={({ index }) => String(index)}
      columns={[
        { id: 'text', title: t.description, narrow: 'title', cell: SoldLine },
        {
          id: 'period',
          title: t.period,
          cell: ({ from_at, to_at }) => `${formatDate(from_at, locale)} – ${formatDate(to_at, locale)}`,
        },
        {
          id: 'quantity',
          title: t.quantity,
          align: 'end',
          cell: ({ quantity, unit }) => `${quantity} ${t.unit(unit, quantity)}`,
        },
        {
          id: 'price',
          title: t.unitPrice,
          align: 'end',
          cell: ({ unit_price, proration }) => (
            <>
              <Mono>{formatDecimal(unit_price, currency, locale)}</Mono>
              {proration && <div className={classes.below}>{t.inPart}</div>}
            </>
          ),
        },
        {
          id: 'tax',
          title: t.tax,
          align: 'end',
          cell: ({ tax_minor }) => <Money minor={tax_minor} currency={currency} />,
        },
        {
          id: 'amount',
          title: t.amount,
          align: 'end',
          narrow: 'aside',
          cell: ({ amount_minor }) => <Money minor={amount_minor} currency={currency} />,
        },
      ]}
    />
  );
}

/** A line with the machine's name at the time of sale. */
function SoldLine({ description, vm_id, hostname }: InvoiceWithLines['lines'][number]) {
  const t = useTexts(texts);
  return (
    <>
      {t.sold(description)}
      {vm_id && hostname && (
        <div className={classes.below}>
          {hostname}, <Mono>{vm_id}</Mono>
        </div>
      )}
    </>
  );
}

function Sums({ invoice }: { invoice: InvoiceWithLines }) {
  const t = useTexts(texts);
  const locale = useLocale();
  const { currency, subtotal_minor, total_minor, taxes } = invoice;
  // biome-ignore lint/style/noRestrictedGlobals: shows a rate
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 });
  return (
    <Card>
      <Facts
        facts={[
          [t.subtotal, <Money key="net" minor={subtotal_minor} currency={currency} />],
          ...taxes.map(({ tax_rate, tax_minor, tax_reason }): [string, ReactNode] => [
            t.ofWhichTax(percent.format(Number(tax_rate))),
            <span key={tax_rate}>
              <Money minor={tax_minor} currency={currency} /> {tax_reason}
            </span>,
          ]),
          [
            t.total,
            <strong key="all">
              <Money minor={total_minor} currency={currency} />
            </strong>,
          ],
        ]}
      />
    </Card>
  );
}
