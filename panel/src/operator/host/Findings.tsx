import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { Host } from '../../../../shared/api/operator.ts';
import { read } from '../../api/queries.ts';
import { useTexts } from '../../texts.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { Foot } from '../../ui/Page.tsx';
import { Table } from '../../ui/Table.tsx';
import { StateOf } from '../parts.tsx';
import { texts } from '../texts.ts';

/** The requirements of guests on the host, and which are missing or limited. */
export function HostFindings() {
  return <Findings query={useQuery(read('operator.getHost'))} />;
}

/** The requirements of guests on the clusters, and which are missing or limited. */
export function ClusterFindings() {
  return <Findings query={useQuery(read('operator.checkCluster'))} />;
}

function Findings({ query }: { query: UseQueryResult<Pick<Host, 'findings'>> }) {
  const t = useTexts(texts);
  return (
    <Loaded query={query}>
      {({ findings }) => (
        <Table
          label={t.findings}
          rows={findings}
          keyOf={({ what }) => what}
          empty={<Foot>{t.none}</Foot>}
          columns={[
            { id: 'what', title: t.what, narrow: 'title', cell: ({ what }) => what },
            { id: 'state', title: t.state, narrow: 'aside', cell: ({ state }) => <StateOf state={state} /> },
            { id: 'found', title: t.found, cell: ({ found }) => found },
          ]}
        />
      )}
    </Loaded>
  );
}
