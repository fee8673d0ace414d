import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { readPages, useChange } from '../api/queries.ts';
import { useTexts } from '../texts.ts';
import { Button } from '../ui/Button.tsx';
import { Empty } from '../ui/Page.tsx';
import { announce } from '../ui/Status.tsx';
import { Table } from '../ui/Table.tsx';
import { TimeOf } from '../ui/Values.tsx';
import { StateOf, StatePage } from './parts.tsx';
import { texts } from './texts.ts';

const STATES = ['any', 'failed', 'pending', 'sent'] as const;

/** Mails to people, including the undeliverable ones. Their content is not shown. */
export function Mails() {
  const t = useTexts(texts);
  const [state, setState] = useState<(typeof STATES)[number]>('any');
  const query = useInfiniteQuery(
    readPages('operator.listMails', { query: state === 'any' ? {} : { status: state } }),
  );
  const retry = useChange('operator.retryMail', {
    changes: ['operator.listMails', 'operator.getOverview'],
    onDone: () => announce(t.mailRetried),
  });
  const names = { any: t.anyState, failed: t.state_failed, pending: t.state_pending, sent: t.state_sent };
  return (
    <StatePage
      title={t.mails}
      states={STATES.map((value) => ({ value, label: names[value] }))}
      state={state}
      onState={setState}
      query={query}
      error={retry.error}
    >
      {(mails) => (
        <Table
          label={t.mails}
          rows={mails}
          keyOf={({ id }) => id}
          empty={<Empty title={t.none} />}
          columns={[
            { id: 'to', title: t.recipient, narrow: 'title', cell: ({ recipient }) => recipient },
            {
              id: 'state',
              title: t.state,
              narrow: 'aside',
              cell: ({ status }) => <StateOf state={status} />,
            },
            { id: 'what', title: t.mail, cell: ({ template }) => template.replaceAll('_', ' ') },
            { id: 'attempts', title: t.attempts, align: 'end', cell: ({ attempts }) => attempts },
            { id: 'error', title: t.error, cell: ({ last_error }) => last_error },
            { id: 'when', title: t.when, cell: ({ created_at }) => <TimeOf at={created_at} /> },
            {
              id: 'act',
              title: '',
              align: 'end',
              cell: ({ id, status }) =>
                status !== 'sent' && (
                  <Button look="quiet" onPress={() => retry.mutate({ params: { id } })}>
                    {t.retry}
                  </Button>
                ),
            },
          ]}
        />
      )}
    </StatePage>
  );
}
