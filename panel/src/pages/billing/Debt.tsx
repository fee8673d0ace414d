import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { read } from '../../api/queries.ts';
import { formatMoney, formatTime, useLocale } from '../../format.ts';
import { defineTexts, useTexts } from '../../texts.ts';
import { buttonClass } from '../../ui/Button.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Stack } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { DateOf, Money, Mono } from '../../ui/Values.tsx';

const texts = defineTexts(
  {
    owed: (amount: string) => `The account owes ${amount}`,
    why: 'The wallet does not cover reversed payments or the usage of deleted machines. Until you pay, you cannot buy machines or make them larger.',
    off: (at: string) => `Unless you pay, your machines will be switched off on ${at}.`,
    areOff: 'Your machines stay switched off until you pay.',
    topUp: (amount: string) => `Top up ${amount} to pay all of it within a minute.`,
    settling: 'The wallet covers this amount. It will be paid within a minute.',
    pay: 'Top up',
    claims: 'Reversed payments',
    machines: 'Deleted machines',
    machine: 'Machine',
    deleted: 'Deleted',
    payment: 'Payment',
    reason: 'Reason',
    refund: 'Refunded by the payment provider',
    dispute: 'Disputed with the bank',
    when: 'Reversed',
    amount: 'Owed',
  },
  {
    owed: (amount: string) => `Das Konto schuldet ${amount}`,
    why: 'Das Guthaben deckt zurückgebuchte Zahlungen oder den Verbrauch gelöschter Maschinen nicht. Bis Sie bezahlen, können Sie keine Maschinen kaufen oder vergrößern.',
    off: (at: string) => `Ohne Zahlung werden Ihre Maschinen am ${at} abgeschaltet.`,
    areOff: 'Ihre Maschinen bleiben abgeschaltet, bis Sie bezahlen.',
    topUp: (amount: string) => `Laden Sie ${amount} auf, dann ist alles innerhalb einer Minute bezahlt.`,
    settling: 'Das Guthaben deckt den Betrag: Er wird innerhalb einer Minute bezahlt.',
    pay: 'Aufladen',
    claims: 'Zurückgebuchte Zahlungen',
    machines: 'Gelöschte Maschinen',
    machine: 'Maschine',
    deleted: 'Gelöscht',
    payment: 'Zahlung',
    reason: 'Grund',
    refund: 'Vom Zahlungsdienst erstattet',
    dispute: 'Bei der Bank widersprochen',
    when: 'Zurückgebucht',
    amount: 'Geschuldet',
  },
);

/**
 * The account's debt for charged-back payments and deleted machines, with reasons and how to settle it. Renders nothing
 * without debt.
 */
export function Debt() {
  const t = useTexts(texts);
  const locale = useLocale();
  const { data: debt } = useQuery(read('getDebt'));
  if (!debt || debt.claimed_minor === 0) return null;
  const { currency, claimed_minor, shortfall_minor, suspends_at, claims, deleted_vms } = debt;
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
        {suspends_at && (
          <span>
            {Date.parse(suspends_at) > Date.now() ? t.off(formatTime(suspends_at, locale)) : t.areOff}
          </span>
        )}
        <span>{isCovered ? t.settling : t.topUp(formatMoney(shortfall_minor, currency, locale))}</span>
      </Notice>
      {claims.length > 0 && (
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
      )}
      {deleted_vms.length > 0 && (
        <Table
          label={t.machines}
          rows={deleted_vms}
          keyOf={({ order_id }) => order_id}
          columns={[
            {
              id: 'machine',
              title: t.machine,
              narrow: 'title',
              cell: ({ hostname }) => <Mono>{hostname}</Mono>,
            },
            { id: 'when', title: t.deleted, cell: ({ created_at }) => <DateOf at={created_at} /> },
            {
              id: 'amount',
              title: t.amount,
              align: 'end',
              narrow: 'aside',
              cell: ({ amount_minor }) => <Money minor={amount_minor} currency={currency} />,
            },
          ]}
        />
      )}
    </Stack>
  );
}
