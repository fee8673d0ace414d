import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { VmStatus } from '../../../../shared/api/operator.ts';
import { readPages } from '../../api/queries.ts';
import { MachineState, wordOf } from '../../pages/machines/state.tsx';
import { machineTexts } from '../../pages/machines/texts.ts';
import { useTexts } from '../../texts.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { More } from '../../ui/More.tsx';
import { Columns, Empty, Page, Stack } from '../../ui/Page.tsx';
import { SearchField } from '../../ui/SearchField.tsx';
import { Select } from '../../ui/Select.tsx';
import { Table } from '../../ui/Table.tsx';
import { DateOf, Mono } from '../../ui/Values.tsx';
import { AccountLink, MachineLink, useSearchText } from '../parts.tsx';
import { texts } from '../texts.ts';

/** The filter of the list: a status, or unpaid machines. */
type Shown = VmStatus | 'unpaid' | 'any';
const STATES: VmStatus[] = ['running', 'stopped', 'suspended', 'error', 'provisioning', 'deleting'];

/** All machines, searchable by name, id or address. */
export function Machines() {
  const t = useTexts(texts);
  const words = useTexts(machineTexts);
  const { text, setText, query: search } = useSearchText();
  const { show = 'any' } = useSearch({ strict: false }) as { show?: Shown };
  const [shown, setShown] = useState(show);
  const filter = shown === 'unpaid' ? { payment: shown } : shown === 'any' ? {} : { status: shown };
  const query = useInfiniteQuery({
    ...readPages('operator.listVms', { query: { ...search, ...filter } }),
    placeholderData: keepPreviousData,
  });
  return (
    <Page title={t.machines}>
      <Stack>
        <Columns>
          <SearchField label={t.findMachine} value={text} onChange={setText} />
          <Select
            label={t.state}
            isLabelHidden
            options={[
              { value: 'any', label: t.anyState },
              { value: 'unpaid', label: t.unpaidVms },
              ...STATES.map((value) => ({ value, label: wordOf(words, value) })),
            ]}
            value={shown}
            onChange={setShown}
          />
        </Columns>
        <Loaded query={query}>
          {(vms) => (
            <Table
              label={t.machines}
              rows={vms}
              keyOf={({ id }) => id}
              empty={<Empty title={t.noMachine} />}
              columns={[
                {
                  id: 'name',
                  title: t.name,
                  narrow: 'title',
                  cell: ({ id, hostname }) => <MachineLink id={id}>{hostname}</MachineLink>,
                },
                {
                  id: 'state',
                  title: t.state,
                  narrow: 'aside',
                  cell: ({ status }) => <MachineState status={status} />,
                },
                {
                  id: 'account',
                  title: t.account,
                  cell: ({ account_id }) => <AccountLink id={account_id} />,
                },
                { id: 'ip', title: t.address, cell: ({ ipv4, ipv6 }) => <Mono>{ipv4 ?? ipv6 ?? '–'}</Mono> },
                {
                  id: 'plan',
                  title: t.plan,
                  cell: ({ plan, vcpu, ram_mb }) => plan ?? `${vcpu} / ${ram_mb}`,
                },
                { id: 'paid', title: t.paidUntil, cell: ({ paid_until }) => <DateOf at={paid_until} /> },
              ]}
            />
          )}
        </Loaded>
        <More query={query} />
      </Stack>
    </Page>
  );
}
