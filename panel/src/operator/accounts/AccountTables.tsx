import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Key } from '../../../../shared/api/operator.ts';
import { read, readPages, useChange } from '../../api/queries.ts';
import { MachineState } from '../../pages/machines/state.tsx';
import { useTexts } from '../../texts.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/Dialog.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { More } from '../../ui/More.tsx';
import { Foot } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { Ago, DateOf, Money, Mono } from '../../ui/Values.tsx';
import { MachineLink, StateOf } from '../parts.tsx';
import { texts } from '../texts.ts';
import { accountTexts } from './texts.ts';

export function AccountMachines({ id }: { id: string }) {
  const t = useTexts(texts);
  const query = useInfiniteQuery(readPages('operator.listVms', { query: { account: id } }));
  return (
    <>
      <Loaded query={query} lines={2}>
        {(vms) => (
          <Table
            label={t.machines}
            rows={vms}
            keyOf={(vm) => vm.id}
            empty={<Foot>{t.none}</Foot>}
            columns={[
              {
                id: 'name',
                title: t.name,
                narrow: 'title',
                cell: (vm) => <MachineLink id={vm.id}>{vm.hostname}</MachineLink>,
              },
              {
                id: 'state',
                title: t.state,
                narrow: 'aside',
                cell: (vm) => <MachineState status={vm.status} />,
              },
              { id: 'ip', title: t.address, cell: ({ ipv4, ipv6 }) => <Mono>{ipv4 ?? ipv6 ?? '–'}</Mono> },
              {
                id: 'price',
                title: t.price,
                align: 'end',
                cell: (vm) => <Money minor={vm.price_monthly_minor} currency={vm.currency} />,
              },
              { id: 'paid', title: t.paidUntil, cell: (vm) => <DateOf at={vm.paid_until} /> },
            ]}
          />
        )}
      </Loaded>
      <More query={query} />
    </>
  );
}

export function Members({ id }: { id: string }) {
  const t = useTexts(texts);
  const own = useTexts(accountTexts);
  const query = useQuery(read('operator.listMembers', { params: { id } }));
  const roles: Record<string, string> = {
    owner: own.owner,
    operator: own.operatorRole,
    viewer: own.viewer,
  };
  return (
    <Loaded query={query} lines={2}>
      {(members) => (
        <Table
          label={own.members}
          rows={members}
          keyOf={({ person_id }) => person_id}
          empty={<Foot>{t.none}</Foot>}
          columns={[
            { id: 'email', title: t.email, narrow: 'title', cell: ({ email }) => email },
            { id: 'name', title: t.name, cell: ({ name }) => name },
            { id: 'role', title: own.role, cell: ({ role }) => roles[role] ?? role },
            { id: 'since', title: t.since, cell: ({ created_at }) => <DateOf at={created_at} /> },
          ]}
        />
      )}
    </Loaded>
  );
}

/** An account's API keys. The keys themselves are not shown: an operator can only revoke them. */
export function AccountKeys({ keys }: { keys: Key[] }) {
  const t = useTexts(texts);
  const own = useTexts(accountTexts);
  const [ending, setEnding] = useState<Key>();
  const revoke = useChange('operator.revokeKey', {
    changes: ['operator.getAccount'],
    onDone: () => setEnding(undefined),
  });
  return (
    <>
      <Table
        label={own.keys}
        rows={keys}
        keyOf={({ id }) => id}
        empty={<Foot>{t.none}</Foot>}
        columns={[
          { id: 'name', title: t.name, narrow: 'title', cell: ({ name }) => name },
          { id: 'state', title: t.state, narrow: 'aside', cell: ({ status }) => <StateOf state={status} /> },
          { id: 'hint', title: own.key, cell: ({ hint }) => <Mono>{hint}</Mono> },
          {
            id: 'used',
            title: own.lastUsed,
            cell: ({ last_used_at: at }) => (at ? <Ago at={at} /> : t.never),
          },
          {
            id: 'act',
            title: '',
            align: 'end',
            cell: (key) =>
              key.status === 'active' && (
                <Button look="quiet" onPress={() => setEnding(key)}>
                  {own.revoke}
                </Button>
              ),
          },
        ]}
      />
      <ConfirmDialog
        title={own.revokeTitle(ending?.name ?? '')}
        isOpen={ending !== undefined}
        onClose={() => setEnding(undefined)}
        confirm={own.revoke}
        onConfirm={() => ending && revoke.mutate({ params: { id: ending.id } })}
        isPending={revoke.isPending}
        error={revoke.error}
      >
        <p>{own.revokeWhy}</p>
      </ConfirmDialog>
    </>
  );
}
