import { useInfiniteQuery } from '@tanstack/react-query';
import type { LogEntry } from '../../../shared/api/operator.ts';
import { readPages } from '../api/queries.ts';
import { useTexts } from '../texts.ts';
import { State } from '../ui/Badge.tsx';
import { Loaded } from '../ui/Loaded.tsx';
import { More } from '../ui/More.tsx';
import { Empty, Page, Stack } from '../ui/Page.tsx';
import { Table } from '../ui/Table.tsx';
import { Mono, TimeOf } from '../ui/Values.tsx';
import { texts } from './texts.ts';

/** The operators' actions, with vaubanctl and in the panel, and their outcomes. */
export function Log() {
  const t = useTexts(texts);
  const query = useInfiniteQuery(readPages('operator.listLog', { query: {} }));
  return (
    <Page title={t.log}>
      <p>{t.logWhy}</p>
      <Stack>
        <Loaded query={query}>
          {(entries) => (
            <Table
              label={t.log}
              rows={entries}
              keyOf={({ id }) => id}
              empty={<Empty title={t.none} />}
              isMarked={({ status }) => status === null}
              columns={[
                {
                  id: 'request',
                  title: t.request,
                  narrow: 'title',
                  cell: ({ request }) => <Mono>{request}</Mono>,
                },
                { id: 'outcome', title: t.outcome, narrow: 'aside', cell: (entry) => <Outcome of={entry} /> },
                { id: 'who', title: t.who, cell: whoOf },
                { id: 'with', title: t.with, cell: ({ input }) => <Mono>{inputOf(input)}</Mono> },
                { id: 'when', title: t.when, cell: ({ created_at }) => <TimeOf at={created_at} /> },
              ]}
            />
          )}
        </Loaded>
        <More query={query} />
      </Stack>
    </Page>
  );
}

function Outcome({ of: { status } }: { of: LogEntry }) {
  const t = useTexts(texts);
  if (status === 200) return <State tone="ok">{t.done}</State>;
  return (
    <State tone={status === null ? 'bad' : 'warn'} shape="triangle">
      {status === null ? t.cutOff : t.refused(status)}
    </State>
  );
}

/** Returns an operator's email address, or the user on the server who ran vaubanctl. */
function whoOf({ email, ip, user_name, login_name, uid }: LogEntry): string {
  if (email) return ip ? `${email} (${ip})` : email;
  const user = user_name ?? (uid === null ? '?' : String(uid));
  return login_name ? `${login_name} → ${user}` : user;
}

/**
 * Formats the input of an action, such as "amount: 5.00, reason: goodwill". The idempotency key is left out because it
 * tells a reader nothing.
 */
function inputOf(input: Record<string, unknown>): string {
  return Object.entries(input)
    .filter(([name]) => name !== 'key')
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}
