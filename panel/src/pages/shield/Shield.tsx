import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ShieldTarget } from '../../api/customer.ts';
import { read, readAll } from '../../api/queries.ts';
import { formatNumber, useLocale } from '../../format.ts';
import { useTexts } from '../../texts.ts';
import { State } from '../../ui/Badge.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Card, Columns, Empty, Figure, Page, Stack } from '../../ui/Page.tsx';
import { type Column, Table } from '../../ui/Table.tsx';
import { Ago, Mono } from '../../ui/Values.tsx';
import { formatRate } from '../machines/formats.ts';
import { byText } from '../machines/list/filter.ts';
import { lookWhile, TARGET_LOOKS } from './looks.ts';
import { Traffic } from './Traffic.tsx';
import { shieldTexts } from './texts.ts';

export function Shield() {
  const t = useTexts(shieldTexts);
  const summary = useQuery(read('getBillingSummary'));
  return (
    <Page title={t.title}>
      <Loaded query={summary}>
        {({ shield_tenant_ids }) =>
          shield_tenant_ids.length === 0 ? (
            <Empty title={t.noneTitle}>{t.none}</Empty>
          ) : (
            <Stack>
              {shield_tenant_ids.map((tid) => (
                <Tenant key={tid} tid={tid} />
              ))}
            </Stack>
          )
        }
      </Loaded>
    </Page>
  );
}

function Tenant({ tid }: { tid: string }) {
  const t = useTexts(shieldTexts);
  const locale = useLocale();
  const query = useQuery({
    ...read('getShieldSummary', { params: { tid } }),
    refetchInterval: ({ state }) => lookWhile(state.data && state.data.status !== 'clean'),
  });
  return (
    <>
      <Loaded query={query} lines={4}>
        {(summary) => (
          <Columns>
            <Card>
              <Figure label={t.now} note={t.targets(summary.targets_total)}>
                {summary.status === 'clean' ? (
                  <State tone="ok">{t.clean}</State>
                ) : (
                  <State tone="bad" shape="triangle">
                    {t.attacks(summary.active_attacks)}
                  </State>
                )}
              </Figure>
            </Card>
            <Card>
              <Figure label={t.lastDay} note={t.inMonth(summary.attacks_30d)}>
                {formatNumber(summary.attacks_24h, locale)}
              </Figure>
            </Card>
            <Card>
              <Figure label={t.peak} note={formatRate(summary.peak_30d.pps, 'pps', 1000, locale)}>
                {formatRate(summary.peak_30d.bps, 'bit/s', 1000, locale)}
              </Figure>
            </Card>
            <Card>
              <Figure label={t.rules} note={t.rulesLimit(summary.rules_limit)}>
                {formatNumber(summary.rules_total, locale)}
              </Figure>
            </Card>
          </Columns>
        )}
      </Loaded>
      <Traffic tid={tid} />
      <Targets tid={tid} />
    </>
  );
}

function Targets({ tid }: { tid: string }) {
  const t = useTexts(shieldTexts);
  const query = useQuery({
    ...readAll('listShieldTargets', { params: { tid }, query: {} }),
    refetchInterval: ({ state }) => lookWhile(state.data?.some(({ status }) => status !== 'clean')),
  });
  const columns: Column<ShieldTarget>[] = [
    {
      id: 'ip',
      title: t.address,
      narrow: 'title',
      cell: ({ id, ip }) => (
        <Link to="/shield/$tid/$id" params={{ tid, id }}>
          <Mono>{ip}</Mono>
        </Link>
      ),
      compare: (a, b) => byText(a.ip, b.ip),
    },
    {
      id: 'status',
      title: t.state,
      narrow: 'aside',
      cell: ({ status }) => (
        <State tone={TARGET_LOOKS[status][0]} shape={TARGET_LOOKS[status][1]}>
          {t[status]}
        </State>
      ),
    },
    { id: 'vm', title: t.machine, cell: ({ vm_id }) => vm_id && <MachineLink id={vm_id} /> },
    { id: 'mode', title: t.mode, cell: ({ mode }) => t[mode] },
    {
      id: 'rules',
      title: t.rules,
      align: 'end',
      cell: ({ rules_count, rules_limit }) => `${rules_count} / ${rules_limit}`,
    },
    {
      id: 'last',
      title: t.lastAttack,
      cell: ({ last_attack_at }) => (last_attack_at ? <Ago at={last_attack_at} /> : t.never),
    },
  ];
  return (
    <Loaded query={query} lines={3}>
      {(targets) => (
        <Table
          label={t.addresses}
          rows={targets}
          keyOf={({ id }) => id}
          columns={columns}
          isMarked={({ status }) => status !== 'clean'}
          empty={<Empty title={t.noTargets}>{t.none}</Empty>}
        />
      )}
    </Loaded>
  );
}

export function MachineLink({ id }: { id: string }) {
  const { data } = useQuery(read('getVm', { params: { id } }));
  return (
    <Link to="/machines/$id" params={{ id }}>
      {data?.hostname ?? id}
    </Link>
  );
}
