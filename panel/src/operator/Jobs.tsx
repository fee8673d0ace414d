import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Job } from '../../../shared/api/operator.ts';
import { readPages, useChange } from '../api/queries.ts';
import { useHappenings } from '../happenings.ts';
import { useTexts } from '../texts.ts';
import { Badge } from '../ui/Badge.tsx';
import { Button } from '../ui/Button.tsx';
import { ConfirmDialog } from '../ui/Dialog.tsx';
import { Empty } from '../ui/Page.tsx';
import { announce } from '../ui/Status.tsx';
import { Table } from '../ui/Table.tsx';
import { Ago } from '../ui/Values.tsx';
import { AccountLink, MachineLink, StateOf, StatePage } from './parts.tsx';
import { whileUsed } from './polling.ts';
import { texts } from './texts.ts';

const EVERY_MS = 10_000;
const STATES = ['stuck', 'active', 'abandoned'] as const;
const CHANGED = ['operator.listJobs', 'operator.getOverview'] as const;

/** Jobs that keep failing, that are running, and that were given up. */
export function Jobs() {
  const t = useTexts(texts);
  const { jobErrorText } = useHappenings();
  const [state, setState] = useState<(typeof STATES)[number]>('stuck');
  const query = useInfiniteQuery({
    ...readPages('operator.listJobs', { query: { state } }),
    ...whileUsed(EVERY_MS),
  });
  const [given, setGiven] = useState<Job>();
  const retry = useChange('operator.retryJob', {
    changes: [...CHANGED],
    onDone: () => announce(t.retried),
  });
  const abandon = useChange('operator.abandonJob', {
    changes: [...CHANGED],
    onDone: () => setGiven(undefined),
  });
  const names = { stuck: t.jobs_stuck, active: t.jobs_active, abandoned: t.jobs_abandoned };
  return (
    <>
      <StatePage
        title={t.jobs}
        states={STATES.map((value) => ({ value, label: names[value] }))}
        state={state}
        onState={setState}
        query={query}
        error={retry.error}
      >
        {(jobs) => (
          <Table
            label={t.jobs}
            rows={jobs}
            keyOf={({ id }) => id}
            empty={<Empty title={state === 'stuck' ? t.noStuck : t.none} />}
            columns={[
              {
                id: 'kind',
                title: t.what,
                narrow: 'title',
                cell: ({ kind, undoing }) => (
                  <>
                    {kind.replaceAll('_', ' ')} {undoing && <Badge tone="warn">{t.undoing}</Badge>}
                  </>
                ),
              },
              {
                id: 'state',
                title: t.state,
                narrow: 'aside',
                cell: ({ status }) => <StateOf state={status} />,
              },
              { id: 'vm', title: t.machine, cell: ({ vm_id }) => <MachineLink id={vm_id} /> },
              {
                id: 'account',
                title: t.account,
                cell: ({ account_id }) => <AccountLink id={account_id} />,
              },
              { id: 'attempts', title: t.attempts, align: 'end', cell: ({ attempts }) => attempts },
              { id: 'error', title: t.error, cell: ({ error }) => error && jobErrorText(error) },
              { id: 'since', title: t.since, cell: ({ created_at }) => <Ago at={created_at} /> },
              {
                id: 'act',
                title: '',
                align: 'end',
                cell: (job) =>
                  job.finished_at === null && (
                    <>
                      <Button look="quiet" onPress={() => retry.mutate({ params: { id: job.id } })}>
                        {t.retry}
                      </Button>
                      <Button look="quiet" onPress={() => setGiven(job)}>
                        {t.abandon}
                      </Button>
                    </>
                  ),
              },
            ]}
          />
        )}
      </StatePage>
      <ConfirmDialog
        title={t.abandonTitle}
        isOpen={given !== undefined}
        onClose={() => setGiven(undefined)}
        confirm={t.abandon}
        onConfirm={() => given && abandon.mutate({ params: { id: given.id } })}
        isPending={abandon.isPending}
        error={abandon.error}
      >
        <p>{t.abandonWhy}</p>
      </ConfirmDialog>
    </>
  );
}
