import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Target } from '../../../shared/api/operator.ts';
import { readPages, useChange } from '../api/queries.ts';
import { formatNumber } from '../format.ts';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/Button.tsx';
import { ConfirmDialog } from '../ui/Dialog.tsx';
import { Loaded } from '../ui/Loaded.tsx';
import { More } from '../ui/More.tsx';
import { Problem } from '../ui/Notice.tsx';
import { Foot, Page, Section, Stack } from '../ui/Page.tsx';
import { Select } from '../ui/Select.tsx';
import { Table } from '../ui/Table.tsx';
import { Ago, Mono } from '../ui/Values.tsx';
import { AccountLink, MachineLink, StateOf } from './parts.tsx';
import { whileUsed } from './polling.ts';
import { MODES, Tenants } from './Tenants.tsx';
import { Threshold } from './Threshold.tsx';
import { texts } from './texts.ts';

/** Polling interval, short enough to watch an attack. */
const EVERY_MS = 5_000;
const CHANGED = ['operator.listAllTargets', 'operator.getOverview'] as const;

export function Shield() {
  const t = useTexts(texts);
  return (
    <Page title={t.shield}>
      <Stack>
        <Section title={t.attacks}>
          <Attacks />
        </Section>
        <Section title={t.targets}>
          <Targets />
        </Section>
        <Tenants />
      </Stack>
    </Page>
  );
}

function Attacks() {
  const t = useTexts(texts);
  const query = useInfiniteQuery({
    ...readPages('operator.listAttacks', { query: {} }),
    ...whileUsed(EVERY_MS),
  });
  return (
    <>
      <Loaded query={query} lines={2}>
        {(attacks) => (
          <Table
            label={t.attacks}
            rows={attacks}
            keyOf={({ id }) => id}
            empty={<Foot>{t.noAttacks}</Foot>}
            isMarked={({ status }) => status === 'ongoing'}
            columns={[
              { id: 'ip', title: t.address, narrow: 'title', cell: ({ ip }) => <Mono>{ip}</Mono> },
              {
                id: 'state',
                title: t.state,
                narrow: 'aside',
                cell: ({ status }) => <StateOf state={status} />,
              },
              { id: 'account', title: t.account, cell: ({ account_id }) => <AccountLink id={account_id} /> },
              {
                id: 'vectors',
                title: t.vectors,
                cell: ({ vectors }) => vectors.map((one) => one.replaceAll('_', ' ')).join(', '),
              },
              { id: 'severity', title: t.severity, cell: ({ severity }) => t[`severity_${severity}`] },
              { id: 'peak', title: t.peak, align: 'end', cell: ({ peak_pps }) => formatNumber(peak_pps) },
              { id: 'since', title: t.since, cell: ({ started_at }) => <Ago at={started_at} /> },
            ]}
          />
        )}
      </Loaded>
      <More query={query} />
    </>
  );
}

function Targets() {
  const t = useTexts(texts);
  const query = useInfiniteQuery({
    ...readPages('operator.listAllTargets', { query: {} }),
    ...whileUsed(EVERY_MS),
  });
  const [ending, setEnding] = useState<Target>();
  const changeMode = useChange('operator.setTargetMode', { changes: [...CHANGED] });
  const remove = useChange('operator.removeTarget', {
    changes: [...CHANGED],
    onDone: () => setEnding(undefined),
  });
  const modes = MODES.map((value) => ({ value, label: t[`mode_${value}`] }));
  return (
    <>
      {changeMode.error && <Problem error={changeMode.error} />}
      <Loaded query={query} lines={2}>
        {(targets) => (
          <Table
            label={t.targets}
            rows={targets}
            keyOf={({ id }) => id}
            empty={<Foot>{t.noTargets}</Foot>}
            columns={[
              { id: 'ip', title: t.address, narrow: 'title', cell: ({ ip }) => <Mono>{ip}</Mono> },
              {
                id: 'state',
                title: t.state,
                narrow: 'aside',
                cell: ({ status }) => <StateOf state={status} />,
              },
              { id: 'vm', title: t.machine, cell: ({ vm_id }) => (vm_id ? <MachineLink id={vm_id} /> : '–') },
              {
                id: 'mode',
                title: t.mode,
                cell: ({ id, ip, mode }) => (
                  <Select
                    label={t.modeOf(ip)}
                    isLabelHidden
                    options={modes}
                    value={mode}
                    onChange={(wanted) => changeMode.mutate({ params: { id }, body: { mode: wanted } })}
                  />
                ),
              },
              { id: 'threshold', title: t.threshold, cell: (target) => <Threshold target={target} /> },
              { id: 'rules', title: t.rules, align: 'end', cell: ({ rules_count }) => rules_count },
              {
                id: 'act',
                title: '',
                align: 'end',
                cell: (target) => (
                  <Button look="quiet" onPress={() => setEnding(target)}>
                    {t.remove}
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Loaded>
      <More query={query} />
      <ConfirmDialog
        title={t.removeTarget(ending?.ip ?? '')}
        isOpen={ending !== undefined}
        onClose={() => setEnding(undefined)}
        confirm={t.remove}
        onConfirm={() => ending && remove.mutate({ params: { id: ending.id } })}
        isPending={remove.isPending}
        error={remove.error}
      >
        <p>{t.removeTargetWhy}</p>
      </ConfirmDialog>
    </>
  );
}
