import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Vm } from '../../../api/customer.ts';
import { formatMoney, useLocale } from '../../../format.ts';
import { useTexts } from '../../../texts.ts';
import { Badge } from '../../../ui/Badge.tsx';
import { buttonClass } from '../../../ui/Button.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { Skeleton } from '../../../ui/Loaded.tsx';
import { Problem } from '../../../ui/Notice.tsx';
import { Empty, Foot, Page } from '../../../ui/Page.tsx';
import { ProgressBar } from '../../../ui/Progress.tsx';
import { type Column, Table } from '../../../ui/Table.tsx';
import { DateOf, Money, Mono } from '../../../ui/Values.tsx';
import { useCatalogNames } from '../names.ts';
import { MachineState, wordOf } from '../state.tsx';
import { machineTexts } from '../texts.ts';
import { BulkBar } from './BulkBar.tsx';
import { FilterBar } from './FilterBar.tsx';
import { byText, type Filter, matching } from './filter.ts';
import classes from './list.module.css';
import { RecentCpu } from './RecentCpu.tsx';
import { listTexts } from './texts.ts';
import { type Remark, useMachines, useRemarks } from './use-machines.ts';

const ALL: Filter = { text: '', status: null, region: null };

export function MachinesPage() {
  const t = useTexts(listTexts);
  const { machines, isComplete, isLoading, error } = useMachines();
  const [filter, setFilter] = useState(ALL);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const shown = useMemo(() => matching(machines, filter), [machines, filter]);
  const selected = useMemo(() => shown.filter(({ id }) => chosen.has(id)), [shown, chosen]);
  const columns = useColumns();
  const create = (
    <Link to="/machines/new" className={buttonClass('main')}>
      <Icon name="plus" />
      {t.create}
    </Link>
  );
  const isFirst = isComplete && machines.length === 0;
  return (
    <Page
      title={t.title}
      aside={machines.length > 0 && t.count(shown.length, machines.length, isComplete)}
      actions={!isFirst && create}
    >
      {error && <Problem error={error} />}
      {isLoading && <Skeleton lines={8} />}
      {isFirst && (
        <Empty title={t.emptyTitle} action={create}>
          {t.empty}
        </Empty>
      )}
      {machines.length > 0 && (
        <>
          <FilterBar filter={filter} onChange={setFilter} machines={machines} />
          <BulkBar machines={selected} onDone={() => setChosen(new Set())} />
          <Table
            label={t.title}
            rows={shown}
            keyOf={({ id }) => id}
            columns={columns}
            selection={{ chosen, onChange: setChosen, nameOf: ({ hostname }) => hostname }}
            empty={<Empty title={t.noneTitle}>{t.none}</Empty>}
          />
          <Total machines={shown} />
        </>
      )}
    </Page>
  );
}

function useColumns(): Column<Vm>[] {
  const t = useTexts(listTexts);
  const machine = useTexts(machineTexts);
  const remarks = useRemarks();
  const names = useCatalogNames();
  return useMemo(
    () => [
      {
        id: 'name',
        title: t.name,
        narrow: 'title',
        cell: (vm) => <Name vm={vm} />,
        compare: (a, b) => byText(a.hostname, b.hostname),
      },
      {
        id: 'state',
        title: t.state,
        narrow: 'aside',
        cell: (vm) => <StateCell vm={vm} />,
        compare: (a, b) => byText(wordOf(machine, a.status), wordOf(machine, b.status)),
      },
      {
        id: 'ipv4',
        title: 'IPv4',
        cell: ({ ipv4, ipv6 }) => <Mono>{ipv4 ?? ipv6 ?? '–'}</Mono>,
        compare: (a, b) => byText(a.ipv4, b.ipv4),
      },
      {
        id: 'plan',
        title: t.plan,
        narrow: 'hide',
        cell: ({ plan }) => (plan ? names.plan(plan) : machine.custom),
        compare: (a, b) => byText(a.plan, b.plan),
      },
      {
        id: 'region',
        title: t.region,
        narrow: 'hide',
        cell: ({ region }) => names.region(region),
        compare: (a, b) => byText(a.region, b.region),
      },
      { id: 'cpu', title: t.cpu, narrow: 'hide', cell: (vm) => <RecentCpu vm={vm} /> },
      { id: 'remark', title: '', cell: ({ id }) => <RemarkCell remark={remarks.get(id)} /> },
      {
        id: 'price',
        title: t.price,
        align: 'end',
        cell: (vm) => <Money minor={vm.price_monthly_minor} currency={vm.currency} />,
        compare: (a, b) => a.price_monthly_minor - b.price_monthly_minor,
      },
    ],
    [t, machine, remarks, names],
  );
}

const Name = ({ vm }: { vm: Vm }) => (
  <Link to="/machines/$id" params={{ id: vm.id }}>
    {vm.hostname}
  </Link>
);

function StateCell({ vm }: { vm: Vm }) {
  const job = vm.active_job;
  return (
    <span className={classes.state}>
      <MachineState status={vm.status} />
      {job && <ProgressBar value={job.progress} label={vm.hostname} />}
    </span>
  );
}

function RemarkCell({ remark }: { remark: Remark | undefined }) {
  const t = useTexts(listTexts);
  if (remark?.unpaid) {
    const { suspended_at, suspends_at, deletes_at } = remark.unpaid;
    return (
      <Badge tone="warn">
        {suspended_at ? t.keptUntil : t.suspendsOn} <DateOf at={suspended_at ? deletes_at : suspends_at} />
      </Badge>
    );
  }
  if (remark?.attack)
    return <Badge tone="bad">{remark.attack === 'mitigating' ? t.mitigated : t.attacked}</Badge>;
  return remark?.isProtected ? <Badge tone="shield">{t.shield}</Badge> : null;
}

function Total({ machines }: { machines: readonly Vm[] }) {
  const t = useTexts(listTexts);
  const locale = useLocale();
  const [first] = machines;
  if (!first) return null;
  const total = machines.reduce(
    (sum, vm) => sum + (vm.status === 'suspended' ? 0 : vm.price_monthly_minor),
    0,
  );
  const isAllRenewed = machines.every(({ auto_renew }) => auto_renew);
  return (
    <Foot>
      {t.total(formatMoney(total, first.currency, locale))} {isAllRenewed ? t.allRenew : t.someRenew}
    </Foot>
  );
}
