import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Data } from '../../api/operations.ts';
import { read } from '../../api/queries.ts';
import { formatBytes, formatDecimal, formatMoney, formatNumber, useLocale } from '../../format.ts';
import { useSite } from '../../shell/site.ts';
import { defineTexts, useTexts } from '../../texts.ts';
import { Badge } from '../../ui/Badge.tsx';
import { buttonClass } from '../../ui/Button.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Foot, Page, Section } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { Mono } from '../../ui/Values.tsx';

const texts = defineTexts(
  {
    title: 'Prices',
    why: 'All prices include tax. Machines are paid in advance from a wallet. When you delete one, the unused part is refunded.',
    plan: 'Plan',
    vcpu: 'Virtual CPUs',
    memory: 'Memory',
    disk: 'Disk',
    traffic: 'Traffic per month',
    unmetered: 'unmetered',
    where: 'Regions',
    hour: 'Per hour',
    month: 'Per month',
    monthlyOnly: 'monthly only',
    old: 'being retired',
    start: 'Create account',
    open: 'Create machine',
    hourly: 'With hourly billing, a machine never costs more than its monthly price.',
  },
  {
    title: 'Preise',
    why: 'Alle Preise enthalten die Steuer. Maschinen werden im Voraus aus dem Guthaben bezahlt. Beim Löschen wird der ungenutzte Teil erstattet.',
    plan: 'Tarif',
    vcpu: 'Virtuelle CPUs',
    memory: 'Arbeitsspeicher',
    disk: 'Festplatte',
    traffic: 'Datenverkehr im Monat',
    unmetered: 'unbegrenzt',
    where: 'Regionen',
    hour: 'Pro Stunde',
    month: 'Im Monat',
    monthlyOnly: 'nur monatlich',
    old: 'wird eingestellt',
    start: 'Konto anlegen',
    open: 'Maschine anlegen',
    hourly: 'Bei stündlicher Abrechnung kostet eine Maschine nie mehr als ihren Monatspreis.',
  },
);

/** MiB per GiB; memory is shown in GiB. */
const MIB = 1_024;
const GB = 1e9;

export function Prices() {
  const t = useTexts(texts);
  const { signed_in, sign_up } = useSite();
  const query = useQuery(read('getPublicPrices'));
  const action = signed_in ? (
    <Link to="/machines/new" className={buttonClass('main')}>
      {t.open}
    </Link>
  ) : (
    sign_up === 'open' && (
      <Link to="/sign-up" className={buttonClass('main')}>
        {t.start}
      </Link>
    )
  );
  return (
    <div style={{ maxWidth: 1080, margin: '0 auto' }}>
      <Page title={t.title} actions={action}>
        <p style={{ maxWidth: '72ch' }}>{t.why}</p>
        <Loaded query={query}>{(prices) => <PriceList prices={prices} />}</Loaded>
        <Foot>{t.hourly}</Foot>
      </Page>
    </div>
  );
}

type PublicPrices = Data<'getPublicPrices'>;

function PriceList({ prices: { currency, plans, regions } }: { prices: PublicPrices }) {
  const categories = [...Map.groupBy(plans, ({ category }) => category)];
  return categories.map(([category, plans]) => (
    <Section key={category} title={category.charAt(0).toUpperCase() + category.slice(1)}>
      <PlanTable category={category} plans={plans} currency={currency} regions={regions} />
    </Section>
  ));
}

function PlanTable({
  category,
  plans,
  currency,
  regions,
}: Omit<PublicPrices, 'plans'> & { category: string; plans: PublicPrices['plans'] }) {
  const t = useTexts(texts);
  const locale = useLocale();
  const names = new Map(regions.map(({ code, name }) => [code, name]));
  return (
    <Table
      label={category}
      rows={plans}
      keyOf={({ code }) => code}
      columns={[
        {
          id: 'plan',
          title: t.plan,
          narrow: 'title',
          cell: ({ name, deprecated }) => (
            <>
              {name} {deprecated && <Badge>{t.old}</Badge>}
            </>
          ),
        },
        { id: 'vcpu', title: t.vcpu, align: 'end', cell: ({ vcpu }) => formatNumber(vcpu, locale) },
        {
          id: 'memory',
          title: t.memory,
          align: 'end',
          cell: ({ ram_mb }) => `${formatNumber(ram_mb / MIB, locale, 1)} GiB`,
        },
        {
          id: 'disk',
          title: t.disk,
          align: 'end',
          cell: ({ disk_gb }) => `${formatNumber(disk_gb, locale)} GB`,
        },
        {
          id: 'traffic',
          title: t.traffic,
          align: 'end',
          cell: ({ bandwidth_gb }) =>
            bandwidth_gb === null ? t.unmetered : formatBytes(bandwidth_gb * GB, locale),
        },
        {
          id: 'where',
          title: t.where,
          cell: ({ regions }) => regions.map((code) => names.get(code) ?? code).join(', '),
        },
        {
          id: 'hour',
          title: t.hour,
          align: 'end',
          cell: ({ price_hourly }) =>
            price_hourly === null ? (
              t.monthlyOnly
            ) : (
              <Mono>{formatDecimal(price_hourly, currency, locale)}</Mono>
            ),
        },
        {
          id: 'month',
          title: t.month,
          align: 'end',
          narrow: 'aside',
          cell: ({ price_monthly_minor }) => (
            <Mono>{formatMoney(price_monthly_minor, currency, locale)}</Mono>
          ),
        },
      ]}
    />
  );
}
