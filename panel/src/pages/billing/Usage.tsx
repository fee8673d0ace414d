import { useQuery } from '@tanstack/react-query';
import { read } from '../../api/queries.ts';
import { formatBytes, formatNumber, useLocale } from '../../format.ts';
import { useTexts } from '../../texts.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { Card, Columns, Figure, Section, Stack } from '../../ui/Page.tsx';
import { Meter } from '../../ui/Progress.tsx';
import { Money } from '../../ui/Values.tsx';
import { texts } from './texts.ts';

/** MiB per GiB; memory is shown in GiB. */
const MIB = 1_024;

export function Usage() {
  const t = useTexts(texts);
  const locale = useLocale();
  const query = useQuery(read('getUsage'));
  const number = (value: number) => formatNumber(value, locale);
  const gib = (mb: number) => `${formatNumber(mb / MIB, locale, 1)} GiB`;
  return (
    <Loaded query={query}>
      {({
        vms,
        vcpu,
        ram_mb,
        disk_gb,
        snapshots,
        traffic_out_bytes,
        cost_to_date_minor,
        usage_minor,
        currency,
        limits,
      }) => (
        <Stack>
          <Columns>
            <Card>
              <Figure label={t.costs}>
                <Money minor={cost_to_date_minor} currency={currency} />
              </Figure>
            </Card>
            <Card>
              <Figure label={t.notCharged}>
                <Money minor={usage_minor} currency={currency} />
              </Figure>
            </Card>
            <Card>
              <Figure label={t.traffic}>{formatBytes(traffic_out_bytes, locale)}</Figure>
            </Card>
          </Columns>
          <Section title={t.limits} description={t.limitsWhy}>
            <Columns>
              <Card>
                <Meter label={t.machines} value={vms} max={limits.vms}>
                  {t.of(number(vms), number(limits.vms))}
                </Meter>
                <Meter label={t.vcpu} value={vcpu} max={limits.vcpu}>
                  {t.of(number(vcpu), number(limits.vcpu))}
                </Meter>
              </Card>
              <Card>
                <Meter label={t.memory} value={ram_mb} max={limits.ram_mb}>
                  {t.of(gib(ram_mb), gib(limits.ram_mb))}
                </Meter>
                <Meter label={t.disk} value={disk_gb} max={limits.disk_gb}>
                  {t.of(`${number(disk_gb)} GB`, `${number(limits.disk_gb)} GB`)}
                </Meter>
              </Card>
              <Card>
                <Figure label={t.snapshots}>{number(snapshots)}</Figure>
              </Card>
            </Columns>
          </Section>
        </Stack>
      )}
    </Loaded>
  );
}
