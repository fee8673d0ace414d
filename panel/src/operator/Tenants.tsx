import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Target, Tenant } from '../../../shared/api/operator.ts';
import { readPages, useChange } from '../api/queries.ts';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/Button.tsx';
import { Field } from '../ui/Field.tsx';
import { textOf } from '../ui/Form.tsx';
import { FormDialog } from '../ui/FormDialog.tsx';
import { Loaded } from '../ui/Loaded.tsx';
import { More } from '../ui/More.tsx';
import { Foot, Section } from '../ui/Page.tsx';
import { Select } from '../ui/Select.tsx';
import { Table } from '../ui/Table.tsx';
import { DateOf } from '../ui/Values.tsx';
import { AccountLink } from './parts.tsx';
import { texts } from './texts.ts';

export const MODES = ['always_on', 'sensor', 'off'] as const satisfies Target['mode'][];

/** The Shield's tenants, with dialogs to create one and to add an address. */
export function Tenants() {
  const t = useTexts(texts);
  const query = useInfiniteQuery(readPages('operator.listTenants', { query: {} }));
  const [isMaking, setMaking] = useState(false);
  const [protecting, setProtecting] = useState<Tenant>();
  return (
    <Section
      title={t.tenants}
      description={t.tenantsWhy}
      actions={
        <Button icon="plus" onPress={() => setMaking(true)}>
          {t.newTenant}
        </Button>
      }
    >
      <Loaded query={query} lines={2}>
        {(tenants) => (
          <Table
            label={t.tenants}
            rows={tenants}
            keyOf={({ id }) => id}
            empty={<Foot>{t.noTenants}</Foot>}
            columns={[
              { id: 'name', title: t.name, narrow: 'title', cell: ({ name }) => name },
              { id: 'account', title: t.account, cell: ({ account_id }) => <AccountLink id={account_id} /> },
              { id: 'since', title: t.since, cell: ({ created_at }) => <DateOf at={created_at} /> },
              {
                id: 'act',
                title: '',
                align: 'end',
                cell: (tenant) => (
                  <Button look="quiet" onPress={() => setProtecting(tenant)}>
                    {t.protect}
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Loaded>
      <More query={query} />
      {isMaking && <NewTenant onClose={() => setMaking(false)} />}
      {protecting && <NewTarget tenant={protecting} onClose={() => setProtecting(undefined)} />}
    </Section>
  );
}

function NewTenant({ onClose }: { onClose: () => void }) {
  const t = useTexts(texts);
  const make = useChange('operator.createTenant', { changes: ['operator.listTenants'], onDone: onClose });
  return (
    <FormDialog
      title={t.newTenant}
      onClose={onClose}
      submit={t.create}
      change={make}
      onSubmit={(values) =>
        make.mutate({
          params: { id: textOf(values, 'account').trim() },
          body: { name: textOf(values, 'name').trim() },
        })
      }
    >
      <Field
        label={t.accountId}
        name="account"
        mono
        isRequired
        autoFocus
        autoComplete="off"
        placeholder="acc_…"
      />
      <Field label={t.name} name="name" isRequired autoComplete="off" maxLength={100} />
    </FormDialog>
  );
}

function NewTarget({ tenant: { id, name }, onClose }: { tenant: Tenant; onClose: () => void }) {
  const t = useTexts(texts);
  const [mode, setMode] = useState<Target['mode']>('always_on');
  const add = useChange('operator.addTarget', {
    changes: ['operator.listAllTargets', 'operator.getOverview'],
    onDone: onClose,
  });
  return (
    <FormDialog
      title={t.protectFor(name)}
      onClose={onClose}
      submit={t.protect}
      change={add}
      onSubmit={(values) => add.mutate({ params: { id }, body: { ip: textOf(values, 'ip').trim(), mode } })}
    >
      <Field label={t.address} name="ip" mono isRequired autoFocus autoComplete="off" />
      <Select
        label={t.mode}
        name="mode"
        options={MODES.map((value) => ({ value, label: t[`mode_${value}`] }))}
        value={mode}
        onChange={setMode}
      />
    </FormDialog>
  );
}
