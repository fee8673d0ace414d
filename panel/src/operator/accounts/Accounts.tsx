import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { readPages, useChange } from '../../api/queries.ts';
import { useTexts } from '../../texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Field.tsx';
import { textOf } from '../../ui/Form.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { More } from '../../ui/More.tsx';
import { Empty, Page, Stack } from '../../ui/Page.tsx';
import { SearchField } from '../../ui/SearchField.tsx';
import { Table } from '../../ui/Table.tsx';
import { DateOf, Money } from '../../ui/Values.tsx';
import { to } from '../links.ts';
import { AccountLink, StateOf, useSearchText } from '../parts.tsx';
import { texts } from '../texts.ts';
import { accountTexts } from './texts.ts';

/** All accounts, searchable by name, id or a member's email address. */
export function Accounts() {
  const t = useTexts(texts);
  const own = useTexts(accountTexts);
  const { text, setText, query: search } = useSearchText();
  const query = useInfiniteQuery({
    ...readPages('operator.listAccounts', { query: search }),
    placeholderData: keepPreviousData,
  });
  const [isMaking, setMaking] = useState(false);
  return (
    <Page
      title={t.accounts}
      actions={
        <Button icon="plus" onPress={() => setMaking(true)}>
          {own.create}
        </Button>
      }
    >
      <Stack>
        <SearchField label={own.search} value={text} onChange={setText} />
        <Loaded query={query}>
          {(accounts) => (
            <Table
              label={t.accounts}
              rows={accounts}
              keyOf={({ id }) => id}
              empty={<Empty title={own.noneFound} />}
              columns={[
                {
                  id: 'name',
                  title: own.name,
                  narrow: 'title',
                  cell: ({ id, name }) => <AccountLink id={id}>{name}</AccountLink>,
                },
                {
                  id: 'status',
                  title: t.state,
                  narrow: 'aside',
                  cell: ({ status }) => <StateOf state={status} />,
                },
                {
                  id: 'wallet',
                  title: own.available,
                  align: 'end',
                  cell: ({ wallet, currency }) => (
                    <Money minor={wallet.available_minor} currency={currency} />
                  ),
                },
                { id: 'vms', title: t.machines, align: 'end', cell: ({ vm_count }) => vm_count },
                { id: 'since', title: t.since, cell: ({ created_at }) => <DateOf at={created_at} /> },
              ]}
            />
          )}
        </Loaded>
        <More query={query} />
      </Stack>
      {isMaking && <NewAccount onClose={() => setMaking(false)} />}
    </Page>
  );
}

function NewAccount({ onClose }: { onClose: () => void }) {
  const own = useTexts(accountTexts);
  const navigate = useNavigate();
  const create = useChange('operator.createAccount', {
    changes: ['operator.listAccounts'],
    onDone: ({ id }) => void navigate(to(`/accounts/${id}`) as Parameters<typeof navigate>[0]),
  });
  return (
    <FormDialog
      title={own.create}
      onClose={onClose}
      submit={own.create}
      change={create}
      onSubmit={(values) => create.mutate({ body: { name: textOf(values, 'name') } })}
    >
      <Field label={own.name} name="name" isRequired autoFocus autoComplete="off" />
    </FormDialog>
  );
}
