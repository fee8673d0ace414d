import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Snapshot } from '../../../api/customer.ts';
import { readAll, useChange } from '../../../api/queries.ts';
import { formatBytes, useLocale } from '../../../format.ts';
import { useMay } from '../../../shell/site.ts';
import { useTexts } from '../../../texts.ts';
import { State } from '../../../ui/Badge.tsx';
import { Button } from '../../../ui/Button.tsx';
import { ConfirmDialog } from '../../../ui/Dialog.tsx';
import { Field } from '../../../ui/Field.tsx';
import { textOf } from '../../../ui/Form.tsx';
import { FormDialog } from '../../../ui/FormDialog.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Empty, Section } from '../../../ui/Page.tsx';
import { type Column, Table } from '../../../ui/Table.tsx';
import { TimeOf } from '../../../ui/Values.tsx';
import { canSnapshot } from '../actions.ts';
import { useMachine } from '../machine-context.ts';
import { machineTexts } from '../texts.ts';
import classes from './snapshots.module.css';
import { snapshotTexts } from './texts.ts';

const LOOKS = {
  creating: ['info', 'ring'],
  available: ['ok', 'dot'],
  deleting: ['info', 'ring'],
  error: ['bad', 'triangle'],
} as const;
/** Operations whose replies a job on a snapshot affects. */
const CHANGED = ['listSnapshots', 'getVm', 'listJobs', 'listEvents'] as const;

export function SnapshotsPage() {
  const t = useTexts(snapshotTexts);
  const words = useTexts(machineTexts);
  const vm = useMachine();
  const may = useMay('vm:write');
  const locale = useLocale();
  const [isTaking, setIsTaking] = useState(false);
  const [restored, setRestored] = useState<Snapshot>();
  const [deleted, setDeleted] = useState<Snapshot>();
  const query = useQuery(readAll('listSnapshots', { params: { id: vm.id }, query: {} }));
  const isReady = canSnapshot(vm);
  const columns: Column<Snapshot>[] = [
    {
      id: 'name',
      title: t.name,
      narrow: 'title',
      cell: ({ name, description }) => (
        <>
          {name}
          {description && <small className={classes.more}>{description}</small>}
        </>
      ),
    },
    {
      id: 'status',
      title: t.state,
      narrow: 'aside',
      cell: ({ status }) => (
        <State tone={LOOKS[status][0]} shape={LOOKS[status][1]}>
          {t[status]}
        </State>
      ),
    },
    {
      id: 'at',
      title: t.taken,
      cell: ({ created_at }) => <TimeOf at={created_at} />,
      compare: (a, b) => a.created_at.localeCompare(b.created_at),
    },
    {
      id: 'size',
      title: t.size,
      align: 'end',
      cell: ({ size_bytes }) => (size_bytes === null ? '–' : formatBytes(size_bytes, locale)),
    },
    {
      id: 'do',
      title: '',
      align: 'end',
      cell: (snapshot) =>
        may && (
          <span className={classes.actions}>
            <Button
              isDisabled={!isReady || snapshot.status !== 'available'}
              onPress={() => setRestored(snapshot)}
            >
              {t.restore}
            </Button>
            <Button
              look="quiet"
              icon="trash"
              label={t.deleteOne(snapshot.name)}
              isDisabled={vm.locked || snapshot.status === 'creating' || snapshot.status === 'deleting'}
              onPress={() => setDeleted(snapshot)}
            />
          </span>
        ),
    },
  ];
  const take = may && (
    <Button look="main" icon="snapshot" isDisabled={!isReady} onPress={() => setIsTaking(true)}>
      {t.take}
    </Button>
  );
  return (
    <Section title={t.title} description={t.are} actions={take}>
      <Loaded query={query} lines={3}>
        {(snapshots) => (
          <Table
            label={t.title}
            rows={snapshots}
            keyOf={({ id }) => id}
            columns={columns}
            empty={<Empty title={t.noneTitle}>{t.none}</Empty>}
          />
        )}
      </Loaded>
      {may && !isReady && (
        <p className={classes.note}>{vm.locked ? words.busy : words.noPower(words[vm.status])}</p>
      )}
      {isTaking && <TakeSnapshot id={vm.id} onClose={() => setIsTaking(false)} />}
      {restored && <Restore snapshot={restored} onClose={() => setRestored(undefined)} />}
      {deleted && <Delete snapshot={deleted} onClose={() => setDeleted(undefined)} />}
    </Section>
  );
}

function TakeSnapshot({ id, onClose }: { id: string; onClose: () => void }) {
  const t = useTexts(snapshotTexts);
  const create = useChange('createSnapshot', { changes: [...CHANGED], onDone: onClose });
  return (
    <FormDialog
      title={t.take}
      onClose={onClose}
      submit={t.take}
      change={create}
      onSubmit={(values) => {
        const name = textOf(values, 'name').trim();
        const description = textOf(values, 'description').trim();
        create.mutate({
          params: { id },
          body: { ...(name && { name }), description: description || null },
        });
      }}
    >
      <Field label={t.name} name="name" maxLength={64} placeholder={t.namePlaceholder} autoFocus />
      <Field label={t.description} name="description" />
      <p className={classes.note}>{t.takeMeans}</p>
    </FormDialog>
  );
}

function Restore({ snapshot, onClose }: { snapshot: Snapshot; onClose: () => void }) {
  const t = useTexts(snapshotTexts);
  const vm = useMachine();
  const restore = useChange('restoreSnapshot', { changes: [...CHANGED], onDone: onClose });
  return (
    <ConfirmDialog
      title={t.restoreTitle(snapshot.name)}
      isOpen
      onClose={onClose}
      confirm={t.restore}
      word={vm.hostname}
      isPending={restore.isPending}
      error={restore.error}
      onConfirm={() => restore.mutate({ params: { id: vm.id, snapshot_id: snapshot.id } })}
    >
      <p>
        {t.restoreLoses} <TimeOf at={snapshot.created_at} />. {t.restoreKeeps}
      </p>
    </ConfirmDialog>
  );
}

function Delete({ snapshot, onClose }: { snapshot: Snapshot; onClose: () => void }) {
  const t = useTexts(snapshotTexts);
  const words = useTexts(machineTexts);
  const vm = useMachine();
  const remove = useChange('deleteSnapshot', { changes: [...CHANGED], onDone: onClose });
  return (
    <ConfirmDialog
      title={t.deleteTitle(snapshot.name)}
      isOpen
      onClose={onClose}
      confirm={words.delete}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ params: { id: vm.id, sid: snapshot.id } })}
    >
      <p>{t.deleteMeans}</p>
    </ConfirmDialog>
  );
}
