import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { Catalog, PlanOption, Vm } from '../../../api/customer.ts';
import { read } from '../../../api/queries.ts';
import { useLocale } from '../../../format.ts';
import { errorText } from '../../../problems.ts';
import { useLanguage } from '../../../settings.ts';
import { useMay } from '../../../shell/site.ts';
import { useTexts } from '../../../texts.ts';
import { Badge } from '../../../ui/Badge.tsx';
import { Button } from '../../../ui/Button.tsx';
import { Choice } from '../../../ui/Choice.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Card, Section, Stack } from '../../../ui/Page.tsx';
import { type Column, Table } from '../../../ui/Table.tsx';
import { Money } from '../../../ui/Values.tsx';
import { type Size, SizeSliders } from '../create/SizeSliders.tsx';
import { formatDisk, formatRam } from '../formats.ts';
import { useMachine } from '../machine-context.ts';
import { useCatalog } from '../names.ts';
import { ResizeDialog, type Target } from './ResizeDialog.tsx';
import { resizeTexts } from './texts.ts';

type Way = 'plan' | 'custom';

export function ResizePage() {
  const t = useTexts(resizeTexts);
  const vm = useMachine();
  const asked = useSearch({ from: '/shell/machines/$id/resize' });
  const [way, setWay] = useState<Way>(asked.vcpu || vm.is_custom ? 'custom' : 'plan');
  const [target, setTarget] = useState<Target>();
  const catalog = useCatalog();
  return (
    <Section
      title={t.title}
      description={t.is}
      actions={
        <Choice
          label={t.way}
          value={way}
          onChange={setWay}
          options={[
            { value: 'plan', label: t.plans },
            { value: 'custom', label: t.custom },
          ]}
        />
      }
    >
      {way === 'plan' && <Plans vm={vm} onChoose={(plan) => setTarget({ plan })} />}
      {way === 'custom' && (
        <Loaded query={catalog}>
          {({ custom_limits }) => (
            <Custom vm={vm} limits={custom_limits} asked={asked} onChoose={(size) => setTarget({ size })} />
          )}
        </Loaded>
      )}
      {target && <ResizeDialog vm={vm} target={target} onClose={() => setTarget(undefined)} />}
    </Section>
  );
}

function Plans({ vm, onChoose }: { vm: Vm; onChoose: (plan: string) => void }) {
  const t = useTexts(resizeTexts);
  const locale = useLocale();
  const may = useMay('vm:plan');
  const query = useQuery(read('listPlanOptions', { params: { id: vm.id }, query: { all: true } }));
  const { currency } = vm;
  const catalog = useCatalog().data;
  const net = catalog?.net_prices;
  const isTaxed = net && catalog?.tax_rate !== '0';
  const columns: Column<PlanOption>[] = [
    {
      id: 'name',
      title: t.plan,
      narrow: 'title',
      cell: ({ plan, current }) => (
        <>
          {plan.name} {current && <Badge tone="ok">{t.current}</Badge>}
        </>
      ),
    },
    {
      id: 'vcpu',
      title: 'vCPU',
      align: 'end',
      cell: ({ plan }) => plan.vcpu,
      compare: (a, b) => a.plan.vcpu - b.plan.vcpu,
    },
    {
      id: 'ram',
      title: t.ram,
      align: 'end',
      cell: ({ plan }) => formatRam(plan.ram_mb, locale),
      compare: (a, b) => a.plan.ram_mb - b.plan.ram_mb,
    },
    {
      id: 'disk',
      title: t.disk,
      align: 'end',
      cell: ({ plan }) => formatDisk(plan.disk_gb, locale),
      compare: (a, b) => a.plan.disk_gb - b.plan.disk_gb,
    },
    {
      id: 'price',
      title: net ? t.monthlyNet : t.monthly,
      align: 'end',
      cell: ({ plan }) => (
        <Money minor={net ? plan.price_monthly_net_minor : plan.price_monthly_minor} currency={currency} />
      ),
      compare: (a, b) => a.plan.price_monthly_minor - b.plan.price_monthly_minor,
    },
    {
      id: 'now',
      title: isTaxed ? t.nowTaxed : t.now,
      align: 'end',
      cell: (option) => <Now option={option} currency={currency} />,
    },
    {
      id: 'do',
      title: '',
      narrow: 'aside',
      align: 'end',
      cell: ({ plan, current, allowed, blocker }) => {
        if (current || !may) return null;
        // A plan that only requires the machine to be off can be chosen: the next step offers a restart.
        const isPossible = allowed || blocker?.code === 'vm_must_be_stopped';
        return isPossible ? <Button onPress={() => onChoose(plan.code)}>{t.choose}</Button> : null;
      },
    },
  ];
  return (
    <Loaded query={query} lines={8}>
      {(options) => (
        <Table
          label={t.plans}
          rows={options}
          keyOf={({ plan }) => plan.code}
          columns={columns}
          isMarked={({ current }) => current}
        />
      )}
    </Loaded>
  );
}

function Now({ option, currency }: { option: PlanOption; currency: string }) {
  const language = useLanguage();
  if (option.current) return null;
  const isBlocked = !option.allowed && option.blocker?.code !== 'vm_must_be_stopped';
  return isBlocked && option.blocker ? (
    <small>{errorText(option.blocker, language)}</small>
  ) : (
    <Money minor={option.net_minor} currency={currency} sign />
  );
}

function Custom({
  vm,
  limits,
  asked,
  onChoose,
}: {
  vm: Vm;
  limits: Catalog['custom_limits'];
  asked: Partial<Size>;
  onChoose: (size: Size) => void;
}) {
  const t = useTexts(resizeTexts);
  const navigate = useNavigate();
  const may = useMay('vm:plan');
  const within = (value: number, { min, max }: { min: number; max: number }) =>
    Math.min(Math.max(value, min), max);
  const [size, setSize] = useState<Size>({
    vcpu: within(asked.vcpu ?? vm.vcpu, limits.vcpu),
    ram_mb: within(asked.ram_mb ?? vm.ram_mb, limits.ram_mb),
    disk_gb: within(asked.disk_gb ?? vm.disk_gb, limits.disk_gb),
  });
  const isSame =
    vm.is_custom && size.vcpu === vm.vcpu && size.ram_mb === vm.ram_mb && size.disk_gb === vm.disk_gb;
  const set = (next: Size) => {
    setSize(next);
    // The size is kept in the URL so that it survives a reload.
    void navigate({ to: '/machines/$id/resize', params: { id: vm.id }, search: { ...next }, replace: true });
  };
  return (
    <Card>
      <Stack>
        <SizeSliders size={size} onChange={set} limits={limits} leastDisk={vm.disk_gb} />
        {may && (
          <div>
            <Button look="main" isDisabled={isSame} onPress={() => onChoose(size)}>
              {t.quote}
            </Button>
          </div>
        )}
      </Stack>
    </Card>
  );
}
