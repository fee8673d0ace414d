import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Vm } from '../../../api/customer.ts';
import { read, readAll } from '../../../api/queries.ts';
import { formatBytes, formatMoney, useLocale } from '../../../format.ts';
import { useTexts } from '../../../texts.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Card, Columns, Facts, Stack } from '../../../ui/Page.tsx';
import { Meter } from '../../../ui/Progress.tsx';
import { Address, DateOf } from '../../../ui/Values.tsx';
import { EventLines } from '../activity/EventLines.tsx';
import { formatDisk, formatRam } from '../formats.ts';
import { useMachine } from '../machine-context.ts';
import { useCatalog, useCatalogNames } from '../names.ts';
import { machineTexts } from '../texts.ts';
import { Metrics } from './Metrics.tsx';
import { NameAndNotes } from './NameAndNotes.tsx';
import { overviewTexts } from './texts.ts';

const RECENT = 6;

export function OverviewPage() {
  const vm = useMachine();
  return (
    <Columns lead>
      <Metrics vm={vm} />
      <Stack>
        <WhatItIs vm={vm} />
        <Traffic vm={vm} />
        <Volumes vm={vm} />
        <Recent vm={vm} />
      </Stack>
    </Columns>
  );
}

function WhatItIs({ vm }: { vm: Vm }) {
  const t = useTexts(overviewTexts);
  const words = useTexts(machineTexts);
  const locale = useLocale();
  const names = useCatalogNames();
  const { data: catalog } = useCatalog();
  const user = catalog?.templates.find(({ code }) => code === vm.template)?.default_user;
  const size = words.size(vm.vcpu, formatRam(vm.ram_mb, locale), formatDisk(vm.disk_gb, locale));
  const price = formatMoney(vm.price_monthly_minor, vm.currency, locale);
  const facts: [string, React.ReactNode][] = [];
  if (vm.ipv4)
    facts.push([
      'IPv4',
      <Address key="4" what="IPv4">
        {vm.ipv4}
      </Address>,
    ]);
  if (vm.ipv6)
    facts.push([
      'IPv6',
      <Address key="6" what="IPv6">
        {vm.ipv6}
      </Address>,
    ]);
  if (user && vm.ipv4)
    facts.push([t.signIn, <Address key="s" what={t.signIn}>{`ssh ${user}@${vm.ipv4}`}</Address>]);
  facts.push(
    [t.plan, `${vm.plan ? names.plan(vm.plan) : words.custom}, ${size}`],
    [t.image, names.template(vm.template)],
    [t.region, `${names.region(vm.region)}, ${t.zone(vm.zone)}`],
    [
      vm.auto_renew ? t.renews : t.ends,
      <span key="r">
        <DateOf at={vm.billing_period_end_at} />
        {vm.auto_renew && `, ${price}`}
      </span>,
    ],
  );
  return (
    <Card>
      <Facts facts={facts} />
      <NameAndNotes vm={vm} />
    </Card>
  );
}

function Traffic({ vm }: { vm: Vm }) {
  const t = useTexts(overviewTexts);
  const locale = useLocale();
  const query = useQuery(read('getVmBandwidth', { params: { id: vm.id } }));
  return (
    <Card title={t.traffic}>
      <Loaded query={query} lines={2}>
        {({ out_bytes, in_bytes, included_bytes, overage_bytes }) => (
          <>
            {included_bytes === null ? (
              <p>{t.unmetered(formatBytes(out_bytes, locale))}</p>
            ) : (
              <Meter label={t.sent} value={out_bytes} max={included_bytes}>
                {t.ofIncluded(formatBytes(out_bytes, locale), formatBytes(included_bytes, locale))}
              </Meter>
            )}
            <p>{t.received(formatBytes(in_bytes, locale))}</p>
            {overage_bytes > 0 && <p>{t.beyond(formatBytes(overage_bytes, locale))}</p>}
            {vm.throttle && <Notice kind="warn">{t[vm.throttle.cause](vm.throttle.mbps)}</Notice>}
          </>
        )}
      </Loaded>
    </Card>
  );
}

function Volumes({ vm }: { vm: Vm }) {
  const t = useTexts(overviewTexts);
  const locale = useLocale();
  const query = useQuery(readAll('listVolumes', { params: { id: vm.id }, query: {} }));
  return (
    <Card title={t.volumes}>
      <Loaded query={query} lines={1}>
        {(volumes) =>
          volumes.map(({ id, device, size_gb, used_bytes }) => {
            const size = size_gb * 1e9;
            return used_bytes === null ? (
              <p key={id}>{`${device}, ${formatBytes(size, locale)}`}</p>
            ) : (
              <Meter key={id} label={device} value={Math.min(used_bytes, size)} max={size}>
                {t.ofIncluded(formatBytes(used_bytes, locale), formatBytes(size, locale))}
              </Meter>
            );
          })
        }
      </Loaded>
    </Card>
  );
}

function Recent({ vm }: { vm: Vm }) {
  const t = useTexts(overviewTexts);
  const query = useQuery(read('listEvents', { params: { id: vm.id }, query: { limit: RECENT } }));
  return (
    <Card
      title={t.latest}
      actions={
        <Link to="/machines/$id/activity" params={{ id: vm.id }}>
          {t.all}
        </Link>
      }
    >
      <Loaded query={query} lines={4}>
        {(events) => <EventLines events={events} />}
      </Loaded>
    </Card>
  );
}
