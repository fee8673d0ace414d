import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { PortForward, Vm } from '../../../api/customer.ts';
import { readAll, useChange } from '../../../api/queries.ts';
import { useMay } from '../../../shell/site.ts';
import { useTexts } from '../../../texts.ts';
import { State } from '../../../ui/Badge.tsx';
import { Button } from '../../../ui/Button.tsx';
import { ConfirmDialog } from '../../../ui/Dialog.tsx';
import { Field } from '../../../ui/Field.tsx';
import { FormRow, textOf } from '../../../ui/Form.tsx';
import { FormDialog } from '../../../ui/FormDialog.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Empty, Section } from '../../../ui/Page.tsx';
import { Select } from '../../../ui/Select.tsx';
import { type Column, deleteColumn, Table } from '../../../ui/Table.tsx';
import { Address, Mono } from '../../../ui/Values.tsx';
import { canConfigure } from '../actions.ts';
import { machineTexts } from '../texts.ts';
import { networkTexts } from './texts.ts';

const SETTLING_MS = 1_500;
const LOOKS = {
  pending: ['info', 'ring'],
  active: ['ok', 'dot'],
  removing: ['info', 'ring'],
  error: ['bad', 'triangle'],
} as const;
const PROTOCOLS = { tcp: 'TCP', udp: 'UDP', tcp_udp: 'TCP + UDP' } as const;

/** Ports of a shared public address that are forwarded to the machine. */
export function PortForwards({ vm }: { vm: Vm }) {
  const t = useTexts(networkTexts);
  const words = useTexts(machineTexts);
  const may = useMay('vm:write') && canConfigure(vm);
  const [isAdding, setIsAdding] = useState(false);
  const [deleted, setDeleted] = useState<PortForward>();
  const query = useQuery({
    ...readAll('listPortForwards', { params: { id: vm.id }, query: {} }),
    refetchInterval: ({ state }) =>
      state.data?.some(({ status }) => status === 'pending' || status === 'removing') ? SETTLING_MS : false,
  });
  const remove = useChange('deletePortForward', {
    changes: ['listPortForwards', 'listEvents'],
    onDone: () => setDeleted(undefined),
  });
  const ask = (forward: PortForward) => {
    remove.reset();
    setDeleted(forward);
  };
  const columns: Column<PortForward>[] = [
    {
      id: 'public',
      title: t.publicSide,
      narrow: 'title',
      cell: ({ public_ip, external_port }) => (
        <Address what={t.publicSide}>{`${public_ip}:${external_port}`}</Address>
      ),
    },
    { id: 'protocol', title: t.protocol, cell: ({ protocol }) => PROTOCOLS[protocol] },
    {
      id: 'internal',
      title: t.leadsTo,
      cell: ({ internal_ip, internal_port }) => <Mono>{`${internal_ip}:${internal_port}`}</Mono>,
    },
    { id: 'note', title: t.note, cell: ({ description }) => description },
    {
      id: 'status',
      title: t.status,
      cell: ({ status }) => (
        <State tone={LOOKS[status][0]} shape={LOOKS[status][1]}>
          {t[status]}
        </State>
      ),
    },
    deleteColumn(
      () => t.deleteForward,
      ask,
      ({ status }) => may && status !== 'removing',
    ),
  ];
  return (
    <Section
      title={t.forwards}
      description={t.forwardsAre}
      actions={
        may && (
          <Button icon="plus" onPress={() => setIsAdding(true)}>
            {t.addForward}
          </Button>
        )
      }
    >
      <Loaded query={query} lines={2}>
        {(forwards) => (
          <Table
            label={t.forwards}
            rows={forwards}
            keyOf={({ id }) => id}
            columns={columns}
            empty={<Empty title={t.noForwards}>{t.noForwardsHint}</Empty>}
          />
        )}
      </Loaded>
      {isAdding && <NewForward vm={vm} onClose={() => setIsAdding(false)} />}
      <ConfirmDialog
        title={t.deleteForwardTitle}
        isOpen={deleted !== undefined}
        onClose={() => setDeleted(undefined)}
        confirm={words.delete}
        isPending={remove.isPending}
        error={remove.error}
        onConfirm={() => deleted && remove.mutate({ params: { id: vm.id, rule_id: deleted.id } })}
      >
        <p>{t.deleteForwardMeans(`${deleted?.public_ip}:${deleted?.external_port}`)}</p>
      </ConfirmDialog>
    </Section>
  );
}

function NewForward({ vm, onClose }: { vm: Vm; onClose: () => void }) {
  const t = useTexts(networkTexts);
  const words = useTexts(machineTexts);
  const [protocol, setProtocol] = useState<PortForward['protocol']>('tcp');
  const add = useChange('addPortForward', { changes: ['listPortForwards', 'listEvents'], onDone: onClose });
  const port = (values: FormData, name: string) => {
    const text = textOf(values, name).trim();
    return text ? Number(text) : null;
  };
  return (
    <FormDialog
      title={t.addForward}
      onClose={onClose}
      submit={words.add}
      change={add}
      onSubmit={(values) =>
        add.mutate({
          params: { id: vm.id },
          body: {
            protocol,
            internal_port: port(values, 'internal_port') ?? 0,
            external_port: port(values, 'external_port'),
            description: textOf(values, 'description').trim() || null,
          },
        })
      }
    >
      <Select
        label={t.protocol}
        value={protocol}
        onChange={setProtocol}
        options={(['tcp', 'udp', 'tcp_udp'] as const).map((value) => ({ value, label: PROTOCOLS[value] }))}
      />
      <FormRow>
        <Field label={t.internalPort} name="internal_port" mono type="number" isRequired autoFocus />
        <Field label={t.externalPort} name="external_port" mono type="number" hint={t.externalHint} />
      </FormRow>
      <Field label={t.note} name="description" maxLength={200} />
    </FormDialog>
  );
}
