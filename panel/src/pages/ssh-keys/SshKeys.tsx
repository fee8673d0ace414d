import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SshKey } from '../../api/customer.ts';
import { isRefusal } from '../../api/errors.ts';
import { readAll, useChange } from '../../api/queries.ts';
import { useMay } from '../../shell/site.ts';
import { useTexts } from '../../texts.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/Dialog.tsx';
import { Field } from '../../ui/Field.tsx';
import { textOf } from '../../ui/Form.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Empty, Page } from '../../ui/Page.tsx';
import { announce } from '../../ui/Status.tsx';
import { type Column, deleteColumn, Table } from '../../ui/Table.tsx';
import { Address, CopyButton, DateOf, Mono } from '../../ui/Values.tsx';
import { byText } from '../machines/list/filter.ts';
import { machineTexts } from '../machines/texts.ts';
import { nameInKey } from './key-name.ts';
import { keyTexts } from './texts.ts';

export function SshKeys() {
  const t = useTexts(keyTexts);
  const words = useTexts(machineTexts);
  const may = useMay('sshkey:write');
  const [isAdding, setIsAdding] = useState(false);
  const [deleted, setDeleted] = useState<SshKey>();
  const query = useQuery(readAll('listSshKeys', { query: {} }));
  const remove = useChange('deleteSshKey', { changes: ['listSshKeys'], onDone: () => setDeleted(undefined) });
  const add = may && (
    <Button look="main" icon="plus" onPress={() => setIsAdding(true)}>
      {t.add}
    </Button>
  );
  const ask = (key: SshKey) => {
    remove.reset();
    setDeleted(key);
  };
  const columns: Column<SshKey>[] = [
    {
      id: 'name',
      title: t.name,
      narrow: 'title',
      cell: ({ name }) => name,
      compare: (a, b) => byText(a.name, b.name),
    },
    {
      id: 'algorithm',
      title: t.algorithm,
      cell: ({ algorithm }) => <Mono>{algorithm}</Mono>,
      compare: (a, b) => byText(a.algorithm, b.algorithm),
    },
    {
      id: 'fingerprint',
      title: t.fingerprint,
      cell: ({ fingerprint }) => <Address what={t.fingerprint}>{fingerprint}</Address>,
    },
    {
      id: 'created',
      title: t.added,
      cell: ({ created_at }) => <DateOf at={created_at} />,
      compare: (a, b) => a.created_at.localeCompare(b.created_at),
    },
    {
      id: 'copy',
      title: '',
      narrow: 'hide',
      align: 'end',
      cell: ({ public_key }) => <CopyButton text={public_key} what={t.publicKey} />,
    },
    deleteColumn(
      (key) => t.deleteOne(key.name),
      ask,
      () => may,
    ),
  ];
  return (
    <Page
      title={t.title}
      aside={query.data && query.data.length > 0 && String(query.data.length)}
      actions={add}
    >
      <Loaded query={query}>
        {(keys) => (
          <Table
            label={t.title}
            rows={keys}
            keyOf={({ id }) => id}
            columns={columns}
            empty={<Empty title={t.noneTitle}>{t.none}</Empty>}
          />
        )}
      </Loaded>
      {isAdding && <AddKey onClose={() => setIsAdding(false)} />}
      <ConfirmDialog
        title={t.deleteTitle(deleted?.name ?? '')}
        isOpen={deleted !== undefined}
        onClose={() => setDeleted(undefined)}
        confirm={words.delete}
        isPending={remove.isPending}
        error={remove.error}
        onConfirm={() => deleted && remove.mutate({ params: { id: deleted.id } })}
      >
        <p>{t.deleteMeans}</p>
      </ConfirmDialog>
    </Page>
  );
}

function AddKey({ onClose }: { onClose: () => void }) {
  const t = useTexts(keyTexts);
  const words = useTexts(machineTexts);
  const [name, setName] = useState<string>();
  const [key, setKey] = useState('');
  const add = useChange('addSshKey', {
    changes: ['listSshKeys'],
    onDone: () => {
      announce(t.isAdded);
      onClose();
    },
  });
  return (
    <FormDialog
      title={t.add}
      wide
      onClose={onClose}
      submit={words.add}
      change={add}
      explain={(error) => (isRefusal(error, 'ssh_key_exists') ? t.exists : undefined)}
      onSubmit={(values) =>
        add.mutate({ body: { name: textOf(values, 'name').trim(), public_key: key.trim() } })
      }
    >
      <Field
        label={t.publicKey}
        name="public_key"
        mono
        rows={4}
        value={key}
        onChange={setKey}
        placeholder="ssh-ed25519 AAAA… ada@laptop"
        hint={t.keyHint}
        isRequired
        autoFocus
      />
      <Field
        label={t.name}
        name="name"
        value={name ?? nameInKey(key)}
        onChange={setName}
        maxLength={64}
        isRequired
      />
    </FormDialog>
  );
}
