import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { HostMachine } from '../../../../shared/api/operator.ts';
import { read, useChange } from '../../api/queries.ts';
import { formatNumber } from '../../format.ts';
import { useTexts } from '../../texts.ts';
import { Button } from '../../ui/Button.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Problem } from '../../ui/Notice.tsx';
import { Table } from '../../ui/Table.tsx';
import { Ago, TimeOf } from '../../ui/Values.tsx';
import { StateOf } from '../parts.tsx';
import { whileUsed } from '../polling.ts';
import { texts } from '../texts.ts';
import { EmptyHost } from './EmptyHost.tsx';

/** A host may be emptied or become unreachable while the page is open. */
const POLL_MS = 5_000;

/** The hosts that customers' machines run on: capacity, load, and which ones are being emptied. */
export function Hosts() {
  const t = useTexts(texts);
  const query = useQuery({ ...read('operator.listHosts'), ...whileUsed(POLL_MS) });
  const [emptying, setEmptying] = useState<HostMachine>();
  const undrain = useChange('operator.undrainHost', {
    changes: ['operator.listHosts', 'operator.getCapacity'],
  });
  const amount = (value: number | null) => (value === null ? t.unlimited : formatNumber(value));
  return (
    <>
      {undrain.error && <Problem error={undrain.error} />}
      <Loaded query={query} lines={2}>
        {(hosts) => (
          <Table
            label={t.hosts}
            rows={hosts}
            keyOf={({ id }) => id}
            columns={[
              { id: 'name', title: t.name, narrow: 'title', cell: ({ name }) => name },
              { id: 'state', title: t.state, narrow: 'aside', cell: (host) => <HostState {...host} /> },
              ...(hosts.some(({ move_window }) => move_window)
                ? [
                    {
                      id: 'window',
                      title: t.movesFrom,
                      cell: (host: HostMachine) => <MoveWindow {...host} />,
                    },
                  ]
                : []),
              { id: 'zones', title: t.zones, cell: ({ zones }) => zones?.join(', ') ?? t.allZones },
              { id: 'ram', title: t.resource_ram_mb, align: 'end', cell: ({ ram_mb }) => amount(ram_mb) },
              { id: 'disk', title: t.resource_disk_gb, align: 'end', cell: ({ disk_gb }) => amount(disk_gb) },
              {
                id: 'vms',
                title: t.machines,
                align: 'end',
                cell: ({ vms, moving_in }) => t.withArriving(vms, moving_in),
              },
              {
                id: 'act',
                title: '',
                align: 'end',
                cell: (host) =>
                  host.draining ? (
                    <Button
                      look="quiet"
                      isPending={undrain.isPending}
                      onPress={() => undrain.mutate({ params: { host: host.id } })}
                    >
                      {t.undrain}
                    </Button>
                  ) : (
                    <Button look="quiet" onPress={() => setEmptying(host)}>
                      {t.emptyHost}
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
      {emptying && <EmptyHost host={emptying} onClose={() => setEmptying(undefined)} />}
    </>
  );
}

function HostState({ state, lost_at }: HostMachine) {
  return (
    <>
      <StateOf state={state} /> {lost_at && <Ago at={lost_at} />}
    </>
  );
}

/** The window in which machines on the host are switched off to be moved. */
function MoveWindow({ move_window }: HostMachine) {
  const t = useTexts(texts);
  if (!move_window) return null;
  return (
    <span>
      <TimeOf at={move_window.from_at} /> {t.movesTo} <TimeOf at={move_window.to_at} />
    </span>
  );
}
