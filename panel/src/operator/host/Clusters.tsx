import { useQuery } from '@tanstack/react-query';
import { read } from '../../api/queries.ts';
import { formatNumber } from '../../format.ts';
import { useTexts } from '../../texts.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { Table } from '../../ui/Table.tsx';
import { Mono } from '../../ui/Values.tsx';
import { StateOf } from '../parts.tsx';
import { whileUsed } from '../polling.ts';
import { texts } from '../texts.ts';

/** Longer than the service waits for an unreachable cluster. */
const POLL_MS = 15_000;

/**
 * The clusters that machines run on, each for one or more regions. They can only be added and changed on the server.
 */
export function Clusters() {
  const t = useTexts(texts);
  const query = useQuery({ ...read('operator.listClusters'), ...whileUsed(POLL_MS) });
  return (
    <Loaded query={query} lines={2}>
      {(clusters) => (
        <Table
          label={t.clusters}
          rows={clusters}
          keyOf={({ id }) => id}
          isMarked={({ ok, reachable }) => !(ok && reachable)}
          columns={[
            { id: 'regions', title: t.regions, narrow: 'title', cell: ({ regions }) => regions.join(', ') },
            {
              id: 'state',
              title: t.state,
              narrow: 'aside',
              // On a restricted cluster, existing guests keep running but no new ones can be created.
              cell: ({ ok, reachable }) => (
                <StateOf state={reachable ? (ok ? 'ok' : 'limited') : 'unreachable'} />
              ),
            },
            {
              id: 'members',
              title: t.membersUp,
              align: 'end',
              cell: ({ members_up, members_total }) => t.ofAll(members_up, members_total),
            },
            {
              id: 'guests',
              title: t.machines,
              align: 'end',
              cell: ({ guests }) => formatNumber(guests),
            },
            { id: 'summary', title: t.says, cell: ({ summary }) => summary },
            { id: 'endpoints', title: t.address, cell: ({ endpoints }) => <Addresses all={endpoints} /> },
          ]}
        />
      )}
    </Loaded>
  );
}

/** One per line: a large cluster's addresses side by side would make the table wider than the window. */
function Addresses({ all }: { all: readonly string[] }) {
  return all.map((address) => (
    <div key={address}>
      <Mono>{address}</Mono>
    </div>
  ));
}
