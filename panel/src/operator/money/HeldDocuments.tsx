import { useInfiniteQuery } from '@tanstack/react-query';
import { readPages } from '../../api/queries.ts';
import { formatMonth, useLocale } from '../../format.ts';
import { defineTexts, useTexts } from '../../texts.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { More } from '../../ui/More.tsx';
import { Foot, Section } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { Ago } from '../../ui/Values.tsx';
import { AccountLink } from '../parts.tsx';

const heldTexts = defineTexts(
  {
    title: 'Documents held',
    why: 'Their e-invoices would violate an official rule. They have no number and are checked again every ten minutes. Correct the cause, often the billing details of the account.',
    none: 'No documents are held.',
    month: 'Month',
    account: 'Account',
    type: 'Document',
    invoice: 'Invoice',
    credit_note: 'Credit note',
    reason: 'Reason',
    since: 'Since',
  },
  {
    title: 'Zurückgehaltene Belege',
    why: 'Ihre E-Rechnung würde eine amtliche Regel verletzen. Sie haben keine Nummer und werden alle zehn Minuten erneut geprüft: Beheben Sie die Ursache, oft die Rechnungsangaben des Kontos.',
    none: 'Kein Beleg wird zurückgehalten.',
    month: 'Monat',
    account: 'Konto',
    type: 'Beleg',
    invoice: 'Rechnung',
    credit_note: 'Rechnungskorrektur',
    reason: 'Grund',
    since: 'Seit',
  },
);

/** Invoices and credit notes of past months that are not yet issued, and why. */
export function HeldDocuments() {
  const t = useTexts(heldTexts);
  const locale = useLocale();
  const query = useInfiniteQuery(readPages('operator.listHeldDocuments', { query: {} }));
  return (
    <Section title={t.title} description={t.why}>
      <Loaded query={query} lines={2}>
        {(held) => (
          <Table
            label={t.title}
            rows={held}
            keyOf={({ invoice_id }) => invoice_id}
            empty={<Foot>{t.none}</Foot>}
            columns={[
              {
                id: 'account',
                title: t.account,
                narrow: 'title',
                cell: ({ account_id }) => <AccountLink id={account_id} />,
              },
              {
                id: 'month',
                title: t.month,
                cell: ({ period_start_at }) => formatMonth(period_start_at, locale),
              },
              { id: 'type', title: t.type, cell: ({ type }) => t[type] },
              { id: 'reason', title: t.reason, cell: ({ reason }) => reason },
              { id: 'since', title: t.since, cell: ({ held_at }) => <Ago at={held_at} /> },
            ]}
          />
        )}
      </Loaded>
      <More query={query} />
    </Section>
  );
}
