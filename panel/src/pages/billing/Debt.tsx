import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { read } from '../../api/queries.ts';
import { formatMoney, useLocale } from '../../format.ts';
import { defineTexts, useTexts } from '../../texts.ts';
import { buttonClass } from '../../ui/Button.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Stack } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { DateOf, Money, Mono } from '../../ui/Values.tsx';

const texts = defineTexts(
  {
    owed: (amount: string) => `The account owes ${amount}`,
    why: 'Payments were taken back that the wallet did not cover. Until they are settled, you cannot buy machines or make them larger.',
    topUp: (amount: string) => `Top up ${amount} and all of it is paid within a minute.`,
    settling: 'The wallet covers it: it is paid within a minute.',
    pay: 'Top up',
    claims: 'Payments that were taken back',
    payment: 'Payment',
    reason: 'Why',
    refund: 'Refunded by the payment provider',
    dispute: 'Disputed with the bank',
    when: 'Taken back',
    amount: 'Owed',
  },
  {
    owed: (amount: string) => `Das Konto schuldet ${amount}`,
    why: 'Zahlungen wurden zurückgeholt, die das Guthaben nicht deckt. Bis sie beglichen sind, können Sie keine Maschinen kaufen oder vergrößern.',
    topUp: (amount: string) => `Laden Sie ${amount} auf, und alles ist innerhalb einer Minute bezahlt.`,
    settling: 'Das Guthaben deckt den Betrag: Er wird innerhalb einer Minute bezahlt.',
    pay: 'Aufladen',
    claims: 'Zurückgeholte Zahlungen',
    payment: 'Zahlung',
    reason: 'Grund',
    refund: 'Vom Zahlungsdienst erstattet',
    dispute: 'Bei der Bank widersprochen',
    when: 'Zurückgeholt',
    amount: 'Geschuldet',
  },
);

/** What the account owes for payments that were taken back, why, and how to settle it; nothing where it owes nothing. */
export function Debt() {
  const t = useTexts(texts);
  const locale = useLocale();
  const { data: debt } = useQuery(read('getDebt'));
  if (!debt || debt.claimed_minor === 0) return null;
  const { currency, claimed_minor, shortfall_minor, claims } = debt;
  const isCovered = shortfall_minor === 0;
  return (
    <Stack>
      <Notice
        kind="bad"
        title={t.owed(formatMoney(claimed_minor, currency, locale))}
        action={
          isCovered || (
            <Link to="/billing/top-up" search={{ amount: shortfall_minor }} className={buttonClass('main')}>
              {t.pay}
            </Link>
          )
        }
      >
        <span>{t.why}</span>
        <span>{isCovered ? t.settling : t.topUp(formatMoney(shortfall_minor, currency, locale))}</span>
      </Notice>
      <Table
        label={t.claims}
        rows={claims}
        keyOf={({ id }) => id}
        columns={[
          {
            id: 'payment',
            title: t.payment,
            narrow: 'title',
            cell: ({ top_up_id, reference }) => (
              <Link to="/billing/top-ups/$id" params={{ id: top_up_id }}>
                <Mono>{reference}</Mono>
              </Link>
            ),
          },
          { id: 'reason', title: t.reason, cell: ({ kind }) => t[kind] },
          { id: 'when', title: t.when, cell: ({ created_at }) => <DateOf at={created_at} /> },
          {
            id: 'amount',
            title: t.amount,
            align: 'end',
            narrow: 'aside',
            cell: ({ amount_minor }) => <Money minor={amount_minor} currency={currency} />,
          },
        ]}
      />
    </Stack>
  );
}
