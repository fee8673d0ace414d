import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ConsoleShare, NewConsoleShare, Vm } from '../../../api/customer.ts';
import { readAll, useChange } from '../../../api/queries.ts';
import { useMay } from '../../../shell/site.ts';
import { useTexts } from '../../../texts.ts';
import { Badge } from '../../../ui/Badge.tsx';
import { Button } from '../../../ui/Button.tsx';
import { Choice } from '../../../ui/Choice.tsx';
import { ConfirmDialog, Dialog } from '../../../ui/Dialog.tsx';
import { Field } from '../../../ui/Field.tsx';
import { textOf } from '../../../ui/Form.tsx';
import { FormDialog } from '../../../ui/FormDialog.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Notice } from '../../../ui/Notice.tsx';
import { Empty, Section } from '../../../ui/Page.tsx';
import { Select } from '../../../ui/Select.tsx';
import { type Column, Table } from '../../../ui/Table.tsx';
import { Ago, CodeBlock, TimeOf } from '../../../ui/Values.tsx';
import { hasTerminal } from '../actions.ts';
import { machineTexts } from '../texts.ts';
import { terminalTexts } from './texts.ts';

const VIEWERS_AGAIN_MS = 10_000;
const LENGTHS = { quarter: 900, hour: 3_600, day: 86_400 } as const;

/** Links that share a terminal with others. */
export function Shares({ vm }: { vm: Vm }) {
  const t = useTexts(terminalTexts);
  const words = useTexts(machineTexts);
  const may = useMay('vm:console');
  const [isMaking, setIsMaking] = useState(false);
  const [made, setMade] = useState<NewConsoleShare>();
  const [revoked, setRevoked] = useState<ConsoleShare>();
  const query = useQuery({
    ...readAll('listConsoleShares', { params: { id: vm.id }, query: {} }),
    refetchInterval: VIEWERS_AGAIN_MS,
  });
  const revoke = useChange('deleteConsoleShare', {
    changes: ['listConsoleShares'],
    onDone: () => setRevoked(undefined),
  });
  const ask = (share: ConsoleShare) => {
    revoke.reset();
    setRevoked(share);
  };
  const columns: Column<ConsoleShare>[] = [
    { id: 'label', title: t.label, narrow: 'title', cell: ({ label }) => label ?? t.noLabel },
    {
      id: 'mode',
      title: t.mode,
      cell: ({ mode }) => <Badge tone={mode === 'read_write' ? 'warn' : 'faint'}>{t[mode]}</Badge>,
    },
    {
      id: 'viewers',
      title: t.viewers,
      align: 'end',
      cell: ({ viewers, max_viewers }) => `${viewers} / ${max_viewers}`,
    },
    {
      id: 'used',
      title: t.lastUsed,
      cell: ({ last_used_at }) => (last_used_at ? <Ago at={last_used_at} /> : t.never),
    },
    { id: 'ends', title: t.ends, cell: ({ expires_at }) => <TimeOf at={expires_at} /> },
    {
      id: 'do',
      title: '',
      narrow: 'aside',
      align: 'end',
      cell: (share) =>
        may && (
          <Button look="quiet" onPress={() => ask(share)}>
            {t.revoke}
          </Button>
        ),
    },
  ];
  return (
    <Section
      title={t.shares}
      description={t.sharesAre}
      actions={
        may && (
          <Button icon="share" isDisabled={!hasTerminal(vm)} onPress={() => setIsMaking(true)}>
            {t.share}
          </Button>
        )
      }
    >
      <Loaded query={query} lines={2}>
        {(shares) => (
          <Table
            label={t.shares}
            rows={shares}
            keyOf={({ id }) => id}
            columns={columns}
            empty={<Empty title={t.noShares}>{t.noSharesHint}</Empty>}
          />
        )}
      </Loaded>
      {isMaking && <NewShare vm={vm} onClose={() => setIsMaking(false)} onMade={setMade} />}
      <Dialog
        title={t.readyTitle}
        isOpen={made !== undefined}
        isKept
        wide
        onClose={() => setMade(undefined)}
        footer={
          <Button look="main" onPress={() => setMade(undefined)}>
            {t.copiedIt}
          </Button>
        }
      >
        <Notice kind="warn">{made?.mode === 'read_write' ? t.onceWrite : t.once}</Notice>
        <CodeBlock what={t.link}>{made?.url ?? ''}</CodeBlock>
      </Dialog>
      <ConfirmDialog
        title={t.revokeTitle}
        isOpen={revoked !== undefined}
        onClose={() => setRevoked(undefined)}
        confirm={t.revoke}
        isPending={revoke.isPending}
        error={revoke.error}
        onConfirm={() => revoked && revoke.mutate({ params: { id: vm.id, sid: revoked.id } })}
      >
        <p>{t.revokeMeans(revoked?.viewers ?? 0)}</p>
      </ConfirmDialog>
      {!hasTerminal(vm) && may && <p>{words.noPower(words[vm.status])}</p>}
    </Section>
  );
}

function NewShare({
  vm,
  onClose,
  onMade,
}: {
  vm: Vm;
  onClose: () => void;
  onMade: (share: NewConsoleShare) => void;
}) {
  const t = useTexts(terminalTexts);
  const [mode, setMode] = useState<'read_only' | 'read_write'>('read_only');
  const [length, setLength] = useState<keyof typeof LENGTHS>('hour');
  const create = useChange('createConsoleShare', {
    changes: ['listConsoleShares'],
    onDone: (share) => {
      onMade(share);
      onClose();
    },
  });
  return (
    <FormDialog
      title={t.shareTitle}
      onClose={onClose}
      submit={t.make}
      change={create}
      onSubmit={(values) =>
        create.mutate({
          params: { id: vm.id },
          body: { mode, ttl_seconds: LENGTHS[length], label: textOf(values, 'label').trim() || null },
        })
      }
    >
      <Choice
        label={t.mode}
        isLabelShown
        value={mode}
        onChange={setMode}
        options={[
          { value: 'read_only', label: t.read_only },
          { value: 'read_write', label: t.read_write },
        ]}
      />
      <p>{mode === 'read_only' ? t.readOnlyMeans : t.readWriteMeans}</p>
      <Select
        label={t.endsAfter}
        value={length}
        onChange={setLength}
        options={[
          { value: 'quarter', label: t.quarter },
          { value: 'hour', label: t.hour },
          { value: 'day', label: t.day },
        ]}
      />
      <Field label={t.label} name="label" hint={t.labelHint} maxLength={64} />
    </FormDialog>
  );
}
