import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { BillingSummary, Wallet } from '../../api/customer.ts';
import { read } from '../../api/queries.ts';
import { formatDate, formatMoney, useLocale } from '../../format.ts';
import { useTexts } from '../../texts.ts';
import { buttonClass } from '../../ui/Button.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Card, Columns, Figure, Foot, Section, Stack } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { DateOf, Money } from '../../ui/Values.tsx';
import { AutoTopUpCard } from './AutoTopUpCard.tsx';
import { Debt } from './Debt.tsx';
import { MachineName } from './MachineName.tsx';
import { texts } from './texts.ts';

/** The balance, how long it will last, and the next charges. */
export function Overview() {
  const wallet = useQuery(read('getWallet'));
  const summary = useQuery(read('getBillingSummary'));
  return (
    <Stack>
      <Loaded query={wallet}>
        {(wallet) => (
          <Loaded query={summary}>
            {(summary) => (
              <>
                <Debt />
                <Unpaid summary={summary} />
                <Columns>
                  <Card>
                    <WalletFigure wallet={wallet} />
                  </Card>
                  <MonthFigures wallet={wallet} summary={summary} />
                </Columns>
                <AutoTopUpCard />
                <NextCharges summary={summary} />
              </>
            )}
          </Loaded>
        )}
      </Loaded>
    </Stack>
  );
}

function WalletFigure({ wallet }: { wallet: Wallet }) {
  const t = useTexts(texts);
  const locale = useLocale();
  const { available_minor, promo_minor, promo_expires_at, held_minor, currency, runway_days } = wallet;
  const promo = formatMoney(promo_minor, currency, locale);
  return (
    <Figure
      label={t.available}
      note={
        <>
          {runway_days === null ? t.nothingRenews : t.lastsUntil(runway_days)}
          {promo_minor > 0 && (
            <>
              <br />
              {promo_expires_at ? t.promoUntil(promo, formatDate(promo_expires_at, locale)) : t.promo(promo)}
            </>
          )}
          {held_minor > 0 && (
            <>
              <br />
              {t.held(formatMoney(held_minor, currency, locale))}
            </>
          )}
        </>
      }
    >
      <Money minor={available_minor} currency={currency} />
    </Figure>
  );
}

function MonthFigures({ wallet, summary }: { wallet: Wallet; summary: BillingSummary }) {
  const t = useTexts(texts);
  const { currency, month_to_date_minor, forecast_month_minor } = summary;
  return (
    <>
      <Card>
        <Figure
          label={t.thisMonth}
          note={t.forecast(formatMoney(forecast_month_minor, currency, useLocale()))}
        >
          <Money minor={month_to_date_minor} currency={currency} />
        </Figure>
      </Card>
      <Card>
        <Figure label={t.perMonth} note={t.perMonthNote}>
          <Money minor={wallet.burn_rate_monthly_minor} currency={currency} />
        </Figure>
      </Card>
    </>
  );
}

/** The overdue amount that the wallet does not cover, and the consequences of not paying it. */
function Unpaid({ summary }: { summary: BillingSummary }) {
  const t = useTexts(texts);
  const locale = useLocale();
  const { overdue_minor, shortfall_minor, currency, unpaid } = summary;
  if (shortfall_minor <= 0) return null;
  return (
    <Notice
      kind="bad"
      title={t.overdue(formatMoney(overdue_minor, currency, locale))}
      action={
        <Link to="/billing/top-up" search={{ amount: shortfall_minor }} className={buttonClass('main')}>
          {t.topUp}
        </Link>
      }
    >
      {t.overdueWhy(formatMoney(shortfall_minor, currency, locale))}
      {unpaid.map(({ vm_id, suspends_at, suspended_at, deletes_at }) => (
        <span key={vm_id}>
          <MachineName id={vm_id} />
          {': '}
          {suspended_at
            ? t.suspended(formatDate(deletes_at, locale))
            : t.suspends(formatDate(suspends_at, locale))}
        </span>
      ))}
    </Notice>
  );
}

function NextCharges({ summary: { next_charges, currency } }: { summary: BillingSummary }) {
  const t = useTexts(texts);
  return (
    <Section title={t.nextCharges}>
      <Table
        label={t.nextCharges}
        rows={next_charges}
        keyOf={({ vm_id }) => vm_id}
        empty={<Foot>{t.noCharges}</Foot>}
        columns={[
          { id: 'vm', title: t.machine, narrow: 'title', cell: ({ vm_id }) => <MachineName id={vm_id} /> },
          { id: 'due', title: t.due, cell: ({ due_at }) => <DateOf at={due_at} /> },
          {
            id: 'amount',
            title: t.amount,
            align: 'end',
            narrow: 'aside',
            cell: ({ amount_minor }) => <Money minor={amount_minor} currency={currency} />,
          },
        ]}
      />
    </Section>
  );
}
