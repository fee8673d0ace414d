import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Vm, VmBilling } from '../../../api/customer.ts';
import { read } from '../../../api/queries.ts';
import { formatBytes, formatDecimal, formatNumber, useLocale } from '../../../format.ts';
import { useTexts } from '../../../texts.ts';
import { buttonClass } from '../../../ui/Button.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Card, Columns, Empty, Facts, Figure, Section, Stack } from '../../../ui/Page.tsx';
import { type Column, Table } from '../../../ui/Table.tsx';
import { DateOf, Money, TimeOf } from '../../../ui/Values.tsx';
import { useMachine } from '../machine-context.ts';
import { machineTexts } from '../texts.ts';
import { billingTexts } from './texts.ts';

type Charge = VmBilling['charges'][number];

export function MachineBillingPage() {
  const vm = useMachine();
  const query = useQuery(read('getVmBilling', { params: { id: vm.id } }));
  return <Loaded query={query}>{(billing) => <Billing vm={vm} billing={billing} />}</Loaded>;
}

function Billing({ vm, billing }: { vm: Vm; billing: VmBilling }) {
  const t = useTexts(billingTexts);
  const words = useTexts(machineTexts);
  const locale = useLocale();
  const { currency } = billing;
  const money = (minor: number) => <Money minor={minor} currency={currency} />;
  const hourly: [string, ReactNode][] =
    billing.price_hourly === null ? [] : [[t.hourly, formatDecimal(billing.price_hourly, currency, locale)]];
  const facts: [string, ReactNode][] = [
    [t.mode, billing.billing_mode === 'hourly' ? words.hourly : words.monthly],
    [t.monthly, money(billing.price_monthly_minor)],
    ...hourly,
    [
      t.period,
      <span key="p">
        <DateOf at={billing.billing_period_start_at} /> – <DateOf at={billing.billing_period_end_at} />
      </span>,
    ],
    [t.renews, billing.auto_renew ? t.byItself : t.not],
  ];
  if (billing.next_billing_mode !== billing.billing_mode)
    facts.push([t.afterwards, billing.next_billing_mode === 'hourly' ? words.hourly : words.monthly]);
  return (
    <Stack>
      {billing.next_price && (
        <Notice kind="warn" title={t.newPrice}>
          {money(billing.next_price.price_monthly_minor)} {t.from} <DateOf at={billing.next_price.from_at} />
        </Notice>
      )}
      {billing.retires_at && (
        <Notice
          kind="warn"
          title={t.retires}
          action={
            <Link to="/machines/$id/resize" params={{ id: vm.id }} className={buttonClass()}>
              {t.otherPlan}
            </Link>
          }
        >
          {t.retiresOn} <DateOf at={billing.retires_at} />
        </Notice>
      )}
      <Columns>
        <Card>
          <Figure
            label={t.next}
            note={billing.next_charge_at ? <DateOf at={billing.next_charge_at} /> : t.noNext}
          >
            {billing.next_charge_minor === null ? '–' : money(billing.next_charge_minor)}
          </Figure>
        </Card>
        <Card>
          <Figure label={t.charged} note={t.since}>
            {money(billing.lifetime_charged_minor)}
          </Figure>
        </Card>
        <Card>
          <Figure label={t.refunded}>{money(billing.lifetime_refunded_minor)}</Figure>
        </Card>
        <Card>
          <Figure label={t.usage} note={t.usageNote}>
            {money(billing.usage_minor)}
          </Figure>
        </Card>
      </Columns>
      <Columns>
        <Card title={t.price}>
          <Facts facts={facts} />
        </Card>
        <Card title={t.usage}>
          <Facts facts={usageFacts(billing, t, locale, money)} />
        </Card>
      </Columns>
      <Charges billing={billing} />
    </Stack>
  );
}

function usageFacts(
  { usage, currency }: VmBilling,
  t: Record<'traffic' | 'beyond' | 'free' | 'snapshots' | 'perGb' | 'gbMonths', string>,
  locale: string,
  money: (minor: number) => ReactNode,
): [string, ReactNode][] {
  const { traffic, snapshots } = usage;
  const price = (text: string | null) => (text === null ? t.free : formatDecimal(text, currency, locale));
  return [
    [
      t.traffic,
      `${formatBytes(traffic.used_bytes, locale)}${traffic.included_bytes === null ? '' : ` / ${formatBytes(traffic.included_bytes, locale)}`}`,
    ],
    [
      t.beyond,
      <span key="b">
        {formatBytes(traffic.overage_bytes, locale)}, {money(traffic.amount_minor)}
      </span>,
    ],
    [t.perGb, price(traffic.price_per_gb)],
    [
      t.snapshots,
      <span key="s">
        {formatNumber(Number(snapshots.gb_months), locale, 3)} {t.gbMonths}, {money(snapshots.amount_minor)}
      </span>,
    ],
  ];
}

function Charges({ billing: { charges, currency } }: { billing: VmBilling }) {
  const t = useTexts(billingTexts);
  const columns: Column<Charge>[] = [
    { id: 'at', title: t.when, narrow: 'line', cell: ({ created_at }) => <TimeOf at={created_at} /> },
    { id: 'kind', title: t.what, narrow: 'title', cell: ({ kind }) => t[kind] },
    { id: 'order', title: t.order, narrow: 'hide', cell: ({ order_id }) => <code>{order_id}</code> },
    {
      id: 'amount',
      title: t.amount,
      narrow: 'aside',
      align: 'end',
      cell: ({ amount_minor }) => <Money minor={amount_minor} currency={currency} />,
    },
  ];
  return (
    <Section title={t.charges}>
      <Table
        label={t.charges}
        rows={charges}
        keyOf={({ order_id }) => order_id}
        columns={columns}
        empty={<Empty title={t.noCharges} />}
      />
    </Section>
  );
}
