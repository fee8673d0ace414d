import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { StatementEntry } from '../../../../shared/api/operator.ts';
import { answerOf } from '../../api/client.ts';
import { readPages } from '../../api/queries.ts';
import { useTexts } from '../../texts.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { More } from '../../ui/More.tsx';
import { Foot } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { Money, TimeOf } from '../../ui/Values.tsx';
import { texts } from '../texts.ts';
import { accountTexts } from './texts.ts';

export function Corrections({ id }: { id: string }) {
  const t = useTexts(texts);
  const own = useTexts(accountTexts);
  const query = useInfiniteQuery(readPages('operator.listAdjustments', { params: { id }, query: {} }));
  return (
    <>
      <Loaded query={query} lines={2}>
        {(corrections) => (
          <Table
            label={own.corrections}
            rows={corrections}
            keyOf={(one) => one.id}
            empty={<Foot>{t.none}</Foot>}
            columns={[
              { id: 'reason', title: own.reason, narrow: 'title', cell: ({ reason }) => reason },
              {
                id: 'amount',
                title: own.amount,
                align: 'end',
                narrow: 'aside',
                // The amount of an order is a charge: a refund is negative.
                cell: ({ amount_minor, currency }) => (
                  <Money minor={-amount_minor} currency={currency} sign />
                ),
              },
              { id: 'who', title: t.who, cell: ({ actor }) => actor },
              { id: 'when', title: t.when, cell: ({ created_at }) => <TimeOf at={created_at} /> },
            ]}
          />
        )}
      </Loaded>
      <More query={query} />
    </>
  );
}

/** The period of the statement, in days. */
const DAYS = 90;
const DAY_MS = 86_400_000;
/** The latest entries; anyone who needs more uses a spreadsheet. */
const MOST_SHOWN = 200;

async function readStatement(id: string, signal: AbortSignal): Promise<StatementEntry[]> {
  const from = new Date(Date.now() - DAYS * DAY_MS).toISOString();
  const response = await fetch(`/operator/api/accounts/${id}/statement?from=${from}`, { signal });
  if (!response.ok) await answerOf(response);
  const lines = (await response.text()).split('\n').filter(Boolean);
  return lines
    .slice(-MOST_SHOWN)
    .reverse()
    .map((line) => JSON.parse(line));
}

/** An account's journal, with the wallet balance after each entry. */
export function Statement({ id }: { id: string }) {
  const t = useTexts(texts);
  const own = useTexts(accountTexts);
  const query = useQuery({
    queryKey: ['operator.getAccount', 'statement', id],
    queryFn: ({ signal }) => readStatement(id, signal),
  });
  return (
    <Loaded query={query} lines={3}>
      {(entries) => (
        <Table
          label={own.statement}
          rows={entries}
          keyOf={({ entry }) => String(entry)}
          empty={<Foot>{t.none}</Foot>}
          columns={[
            {
              id: 'reason',
              title: own.why,
              narrow: 'title',
              cell: ({ reason }) => reason.replaceAll('_', ' '),
            },
            {
              id: 'amount',
              title: own.amount,
              align: 'end',
              narrow: 'aside',
              cell: ({ amount_minor, currency }) => <Money minor={amount_minor} currency={currency} />,
            },
            { id: 'from', title: own.from, cell: ({ debit }) => debit },
            { id: 'to', title: own.to, cell: ({ credit }) => credit },
            {
              id: 'after',
              title: own.available,
              align: 'end',
              cell: ({ available_minor, currency }) => <Money minor={available_minor} currency={currency} />,
            },
            { id: 'when', title: t.when, cell: ({ at }) => <TimeOf at={at} /> },
          ]}
        />
      )}
    </Loaded>
  );
}
