import { useQuery } from '@tanstack/react-query';
import type { NetworkInterface } from '../../../api/customer.ts';
import { readAll } from '../../../api/queries.ts';
import { useLocale } from '../../../format.ts';
import { useTexts } from '../../../texts.ts';
import { Badge } from '../../../ui/Badge.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Section, Stack } from '../../../ui/Page.tsx';
import { type Column, Table } from '../../../ui/Table.tsx';
import { Address, Mono } from '../../../ui/Values.tsx';
import { formatRate } from '../formats.ts';
import { useMachine } from '../machine-context.ts';
import { Firewall } from './Firewall.tsx';
import { PortForwards } from './PortForwards.tsx';
import { networkTexts } from './texts.ts';

export function NetworkPage() {
  const vm = useMachine();
  return (
    <Stack>
      <Firewall vm={vm} />
      <PortForwards vm={vm} />
      <Interfaces id={vm.id} />
    </Stack>
  );
}

type Ip = NetworkInterface['ips'][number] & { nic: NetworkInterface };

function Interfaces({ id }: { id: string }) {
  const t = useTexts(networkTexts);
  const locale = useLocale();
  const query = useQuery(readAll('listNics', { params: { id }, query: {} }));
  const columns: Column<Ip>[] = [
    {
      id: 'address',
      title: t.address,
      narrow: 'title',
      cell: ({ address, prefix }) => <Address what={t.address}>{`${address}/${prefix}`}</Address>,
    },
    {
      id: 'marks',
      title: '',
      narrow: 'aside',
      cell: ({ primary, shield }) => (
        <>
          {primary && <Badge>{t.primary}</Badge>} {shield && <Badge tone="shield">Shield</Badge>}
        </>
      ),
    },
    { id: 'gateway', title: t.gateway, cell: ({ gateway }) => <Mono>{gateway}</Mono> },
    { id: 'rdns', title: t.rdns, cell: ({ rdns }) => <Mono>{rdns ?? '–'}</Mono> },
    { id: 'nic', title: t.nic, cell: ({ nic }) => <Mono>{`${nic.name}, ${nic.mac}`}</Mono> },
    {
      id: 'limit',
      title: t.speed,
      cell: ({ nic }) =>
        nic.bandwidth_limit_bps === null
          ? t.noLimit
          : formatRate(nic.bandwidth_limit_bps, 'bit/s', 1000, locale),
    },
  ];
  return (
    <Section title={t.interfaces}>
      <Loaded query={query} lines={2}>
        {(nics) => (
          <Table
            label={t.interfaces}
            rows={nics.flatMap((nic) => nic.ips.map((ip) => ({ ...ip, nic })))}
            keyOf={({ address }) => address}
            columns={columns}
          />
        )}
      </Loaded>
    </Section>
  );
}
