import { Radio, RadioGroup } from 'react-aria-components/RadioGroup';
import { Text } from 'react-aria-components/Text';
import type { Catalog, Plan } from '../../../api/customer.ts';
import { formatDecimal, formatNumber, useLocale } from '../../../format.ts';
import { useTexts } from '../../../texts.ts';
import { Money } from '../../../ui/Values.tsx';
import { formatDisk, formatRam } from '../formats.ts';
import { netPrice } from '../prices.ts';
import classes from './create.module.css';
import { createTexts } from './texts.ts';

/** The plans of a region, smallest first. Unavailable plans are shown with the reason. */
export function PlanChoice({
  catalog,
  region,
  value,
  onChange,
  template,
}: {
  catalog: Catalog;
  region: string;
  value: string;
  onChange: (code: string) => void;
  template: string;
}) {
  const t = useTexts(createTexts);
  const image = catalog.templates.find(({ code }) => code === template);
  const why = (plan: Plan) => {
    const place = plan.regions.find(({ code }) => code === region);
    if (!place) return t.notInRegion;
    if (!place.available) return t.full;
    return image && (plan.disk_gb < image.min_disk_gb || plan.ram_mb < image.min_ram_mb)
      ? t.tooSmall
      : undefined;
  };
  return (
    <RadioGroup className={classes.plans!} aria-label={t.plans} name="plan" value={value} onChange={onChange}>
      {catalog.net_prices && (
        <Text slot="description" className={classes.note!}>
          {t.netPrices}
        </Text>
      )}
      {catalog.plans
        .filter(({ deprecated }) => !deprecated)
        .map((plan) => (
          <PlanRow key={plan.code} plan={plan} why={why(plan)} catalog={catalog} />
        ))}
    </RadioGroup>
  );
}

function PlanRow({ plan, why, catalog }: { plan: Plan; why: string | undefined; catalog: Catalog }) {
  const t = useTexts(createTexts);
  const locale = useLocale();
  const { currency, net_prices, tax_rate } = catalog;
  const gross = plan.price_hourly;
  const hour = net_prices && gross !== null ? netPrice(gross, tax_rate) : gross;
  const traffic =
    plan.bandwidth_gb === null ? t.unmetered : t.traffic(formatNumber(plan.bandwidth_gb / 1000, locale, 1));
  return (
    <Radio value={plan.code} isDisabled={why !== undefined} className={classes.plan!}>
      <b>{plan.name}</b>
      <span>{`${plan.vcpu} vCPU`}</span>
      <span>{formatRam(plan.ram_mb, locale)}</span>
      <span>{formatDisk(plan.disk_gb, locale)}</span>
      <span className={classes.traffic}>{why ?? traffic}</span>
      <span className={classes.hour}>{hour !== null && `${formatDecimal(hour, currency, locale)} / h`}</span>
      <span className={classes.month}>
        <Money
          minor={net_prices ? plan.price_monthly_net_minor : plan.price_monthly_minor}
          currency={currency}
        />
      </span>
    </Radio>
  );
}
