import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { CreditedOutage } from '../../../shared/api/operator.ts';
import { readPages, useChange } from '../api/queries.ts';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/Button.tsx';
import { ConfirmDialog } from '../ui/Dialog.tsx';
import { Loaded } from '../ui/Loaded.tsx';
import { More } from '../ui/More.tsx';
import { Empty, Page, Stack } from '../ui/Page.tsx';
import { Table } from '../ui/Table.tsx';
import { Money, TimeOf } from '../ui/Values.tsx';
import { MachineLink, StateOf } from './parts.tsx';
import { ReportOutage } from './ReportOutage.tsx';
import { texts } from './texts.ts';

export function Outages() {
  const t = useTexts(texts);
  const query = useInfiniteQuery(readPages('operator.listOutages', { query: {} }));
  const [isReporting, setReporting] = useState(false);
  const [credited, setCredited] = useState<CreditedOutage>();
  const credit = useChange('operator.creditOutage', {
    changes: ['operator.listOutages', 'operator.getAccount'],
    // One request credits a limited number of machines; repeat until none is left.
    onDone: ({ id, status }) =>
      status === 'credited' ? setCredited(undefined) : credit.mutate({ params: { id } }),
  });
  return (
    <Page
      title={t.outages}
      actions={
        <Button icon="plus" onPress={() => setReporting(true)}>
          {t.report}
        </Button>
      }
    >
      <Stack>
        <p>{t.outagesWhy}</p>
        <Loaded query={query}>
          {(outages) => (
            <Table
              label={t.outages}
              rows={outages}
              keyOf={({ id }) => id}
              empty={<Empty title={t.noOutages} />}
              columns={[
                {
                  id: 'where',
                  title: t.where,
                  narrow: 'title',
                  cell: ({ region, vm_id }) => (vm_id ? <MachineLink id={vm_id} /> : region),
                },
                {
                  id: 'state',
                  title: t.state,
                  narrow: 'aside',
                  cell: ({ status }) => <StateOf state={status} />,
                },
                { id: 'from', title: t.from, cell: ({ from_at }) => <TimeOf at={from_at} /> },
                { id: 'to', title: t.to, cell: ({ to_at }) => <TimeOf at={to_at} /> },
                { id: 'reason', title: t.reason, cell: ({ reason }) => reason },
                { id: 'who', title: t.who, cell: ({ actor }) => actor },
                {
                  id: 'credited',
                  title: t.credited,
                  align: 'end',
                  cell: ({ credited: count, credited_minor, currency }) => (
                    <span>
                      <Money minor={credited_minor} currency={currency} />, {t.creditedFor(count)}
                    </span>
                  ),
                },
                {
                  id: 'act',
                  title: '',
                  align: 'end',
                  cell: (outage) =>
                    outage.status !== 'credited' && (
                      <Button look="quiet" onPress={() => setCredited(outage)}>
                        {t.creditGo}
                      </Button>
                    ),
                },
              ]}
            />
          )}
        </Loaded>
        <More query={query} />
      </Stack>
      {isReporting && <ReportOutage onClose={() => setReporting(false)} />}
      <ConfirmDialog
        title={t.creditTitle}
        isOpen={credited !== undefined}
        onClose={() => setCredited(undefined)}
        confirm={t.creditGo}
        onConfirm={() => credited && credit.mutate({ params: { id: credited.id } })}
        isPending={credit.isPending}
        error={credit.error}
      >
        <p>{t.creditWhy}</p>
      </ConfirmDialog>
    </Page>
  );
}
