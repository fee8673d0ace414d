import { useInfiniteQuery } from '@tanstack/react-query';
import { readPages } from '../../api/queries.ts';
import { useTexts } from '../../texts.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { More } from '../../ui/More.tsx';
import { Empty, Page, Stack } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { Mono, TimeOf } from '../../ui/Values.tsx';
import { auditTexts } from './audit-texts.ts';
import { texts } from './texts.ts';

export function Audit() {
  const t = useTexts(texts);
  const names: Record<string, string> = useTexts(auditTexts);
  const query = useInfiniteQuery(readPages('listAudit', { query: {} }));
  return (
    <Page title={t.audit}>
      <p>{t.auditWhy}</p>
      <Loaded query={query}>
        {(entries) => (
          <Stack>
            <Table
              label={t.audit}
              rows={entries}
              keyOf={({ id }) => id}
              empty={<Empty title={t.noAudit} />}
              columns={[
                { id: 'what', title: t.what, narrow: 'title', cell: ({ action }) => names[action] ?? action },
                { id: 'who', title: t.who, cell: ({ actor }) => actor },
                { id: 'when', title: t.when, narrow: 'line', cell: ({ at }) => <TimeOf at={at} /> },
                { id: 'on', title: t.onWhat, cell: ({ target }) => target && <Mono>{target}</Mono> },
                { id: 'from', title: t.address, cell: ({ ip }) => ip && <Mono>{ip}</Mono> },
              ]}
            />
            <More query={query} />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}
