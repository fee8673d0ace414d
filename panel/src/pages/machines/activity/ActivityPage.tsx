import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Job, VmEvent } from '../../../api/customer.ts';
import { readAll, readPages } from '../../../api/queries.ts';
import { useHappenings } from '../../../happenings.ts';
import { useTexts } from '../../../texts.ts';
import { State } from '../../../ui/Badge.tsx';
import { Button } from '../../../ui/Button.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Empty, Section, Stack } from '../../../ui/Page.tsx';
import { Select } from '../../../ui/Select.tsx';
import { type Column, Table } from '../../../ui/Table.tsx';
import { Mono, TimeOf } from '../../../ui/Values.tsx';
import { formatSeconds } from '../formats.ts';
import { useMachine } from '../machine-context.ts';
import { wordOf } from '../state.tsx';
import { machineTexts } from '../texts.ts';
import { activityTexts } from './texts.ts';

const PAGE = 50;
const LOOKS = {
  pending: ['info', 'ring'],
  running: ['info', 'ring'],
  succeeded: ['ok', 'dot'],
  failed: ['bad', 'triangle'],
  canceled: ['faint', 'square'],
} as const;
const LEVELS = { info: ['faint', 'dot'], warning: ['warn', 'square'], error: ['bad', 'triangle'] } as const;

export function ActivityPage() {
  const { id } = useMachine();
  return (
    <Stack>
      <Events id={id} />
      <Jobs id={id} />
    </Stack>
  );
}

/** Groups of events by the first part of their type. */
const KINDS = ['all', 'warnings'] as const;

function Events({ id }: { id: string }) {
  const t = useTexts(activityTexts);
  const { eventText } = useHappenings();
  const [kind, setKind] = useState<(typeof KINDS)[number]>('all');
  const query = useInfiniteQuery(readPages('listEvents', { params: { id }, query: { limit: PAGE } }));
  const columns: Column<VmEvent>[] = [
    { id: 'at', title: t.when, narrow: 'aside', cell: ({ created_at }) => <TimeOf at={created_at} /> },
    {
      id: 'message',
      title: t.what,
      narrow: 'title',
      cell: (event) => (
        <State tone={LEVELS[event.level][0]} shape={LEVELS[event.level][1]}>
          {eventText(event)}
        </State>
      ),
    },
    {
      id: 'who',
      title: t.who,
      cell: ({ actor }) => (
        <>
          {t[actor.type]}
          {actor.ip && (
            <>
              {' '}
              <Mono>{actor.ip}</Mono>
            </>
          )}
        </>
      ),
    },
    { id: 'type', title: t.type, narrow: 'hide', cell: ({ type }) => <Mono>{type}</Mono> },
  ];
  return (
    <Section
      title={t.title}
      actions={
        <Select
          label={t.show}
          isLabelHidden
          value={kind}
          onChange={setKind}
          options={KINDS.map((value) => ({ value, label: t[value] }))}
        />
      }
    >
      <Loaded query={query}>
        {(events) => (
          <Table
            label={t.title}
            rows={kind === 'all' ? events : events.filter(({ level }) => level !== 'info')}
            keyOf={(event) => event.id}
            columns={columns}
            empty={<Empty title={t.nothing} />}
          />
        )}
      </Loaded>
      {query.hasNextPage && (
        <div>
          <Button isPending={query.isFetchingNextPage} onPress={() => void query.fetchNextPage()}>
            {t.older}
          </Button>
        </div>
      )}
    </Section>
  );
}

function Jobs({ id }: { id: string }) {
  const t = useTexts(activityTexts);
  const words = useTexts(machineTexts);
  const { jobErrorText } = useHappenings();
  const query = useQuery(readAll('listJobs', { params: { id }, query: { status: 'all' } }));
  const columns: Column<Job>[] = [
    { id: 'at', title: t.when, narrow: 'aside', cell: ({ created_at }) => <TimeOf at={created_at} /> },
    { id: 'kind', title: t.what, narrow: 'title', cell: ({ kind }) => wordOf(words, `${kind}Job`) },
    {
      id: 'status',
      title: t.result,
      cell: ({ status, error }) => (
        <State tone={LOOKS[status][0]} shape={LOOKS[status][1]}>
          {status === 'running' ? t.runs : words[status]}
          {error && `: ${jobErrorText(error)}`}
        </State>
      ),
    },
    {
      id: 'took',
      title: t.took,
      align: 'end',
      cell: ({ started_at, finished_at }) =>
        started_at && finished_at && formatSeconds((Date.parse(finished_at) - Date.parse(started_at)) / 1000),
    },
  ];
  return (
    <Section title={t.jobs} description={t.jobsAre}>
      <Loaded query={query}>
        {(jobs) => (
          <Table
            label={t.jobs}
            rows={jobs}
            keyOf={(job) => job.id}
            columns={columns}
            empty={<Empty title={t.nothing} />}
          />
        )}
      </Loaded>
    </Section>
  );
}
