import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { VmDetails } from '../../../../shared/api/operator.ts';
import { read, useChange } from '../../api/queries.ts';
import { MachineState } from '../../pages/machines/state.tsx';
import { useTexts } from '../../texts.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/Dialog.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Card, Columns, Facts, Foot, Page, Section, Stack } from '../../ui/Page.tsx';
import { announce } from '../../ui/Status.tsx';
import { Table } from '../../ui/Table.tsx';
import { Address, DateOf, Money, TimeOf } from '../../ui/Values.tsx';
import { AccountLink } from '../parts.tsx';
import { whileUsed } from '../polling.ts';
import { texts } from '../texts.ts';

/** Polling interval while a machine has an active job. */
const EVERY_MS = 5_000;

export function MachinePage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const query = useQuery({ ...read('operator.getVm', { params: { id } }), ...whileUsed(EVERY_MS) });
  return <Loaded query={query}>{(vm) => <Shown vm={vm} />}</Loaded>;
}

function Shown({ vm }: { vm: VmDetails }) {
  const t = useTexts(texts);
  const [asked, setAsked] = useState<'stop' | 'cut'>();
  const stop = useChange('operator.stopVm', {
    changes: ['operator.getVm', 'operator.listVms'],
    onDone: () => {
      announce(t.stopping);
      setAsked(undefined);
    },
  });
  return (
    <Page
      title={vm.hostname}
      aside={<MachineState status={vm.status} />}
      actions={
        vm.status === 'running' && (
          <>
            <Button icon="power" onPress={() => setAsked('stop')}>
              {t.stop}
            </Button>
            <Button look="danger" onPress={() => setAsked('cut')}>
              {t.cut}
            </Button>
          </>
        )
      }
    >
      <Stack>
        <Columns>
          <Card title={t.machine}>
            <Facts
              facts={[
                [
                  t.id,
                  <Address key="id" what={t.id}>
                    {vm.id}
                  </Address>,
                ],
                [t.account, <AccountLink key="account" id={vm.account_id} />],
                [
                  'IPv4',
                  vm.ipv4 ? (
                    <Address key="ipv4" what="IPv4">
                      {vm.ipv4}
                    </Address>
                  ) : (
                    '–'
                  ),
                ],
                [
                  'IPv6',
                  vm.ipv6 ? (
                    <Address key="ipv6" what="IPv6">
                      {vm.ipv6}
                    </Address>
                  ) : (
                    '–'
                  ),
                ],
                [t.size, `${vm.vcpu} vCPU, ${vm.ram_mb / 1024} GB RAM, ${vm.disk_gb} GB`],
                [t.image, vm.template],
                [t.place, `${vm.region}, ${vm.zone}`],
              ]}
            />
          </Card>
          <Card title={t.money}>
            <Facts
              facts={[
                [t.plan, vm.plan ?? '–'],
                [t.price, <Money key="price" minor={vm.price_monthly_minor} currency={vm.currency} />],
                [t.paidUntil, <DateOf key="paid" at={vm.paid_until} />],
                [t.unpaidSince, vm.unpaid_since ? <DateOf key="unpaid" at={vm.unpaid_since} /> : '–'],
                [t.since, <DateOf key="since" at={vm.created_at} />],
                [t.atWork, vm.active_job?.kind.replaceAll('_', ' ') ?? '–'],
              ]}
            />
          </Card>
        </Columns>
        <Section title={t.snapshots}>
          <Snapshots vm={vm} />
        </Section>
        <Section title={t.events}>
          <Table
            label={t.events}
            rows={vm.events}
            keyOf={({ type, created_at }) => `${created_at} ${type}`}
            empty={<Foot>{t.none}</Foot>}
            isMarked={({ level }) => level === 'error'}
            columns={[
              { id: 'what', title: t.what, narrow: 'title', cell: ({ message }) => message },
              { id: 'when', title: t.when, cell: ({ created_at }) => <TimeOf at={created_at} /> },
            ]}
          />
        </Section>
      </Stack>
      <ConfirmDialog
        title={asked === 'cut' ? t.cutTitle(vm.hostname) : t.stopTitle(vm.hostname)}
        isOpen={asked !== undefined}
        onClose={() => setAsked(undefined)}
        confirm={asked === 'cut' ? t.cut : t.stop}
        onConfirm={() => stop.mutate({ params: { id: vm.id }, body: { force: asked === 'cut' } })}
        isPending={stop.isPending}
        error={stop.error}
      >
        <p>{t.stopWhy}</p>
      </ConfirmDialog>
    </Page>
  );
}

function Snapshots({ vm }: { vm: VmDetails }) {
  const t = useTexts(texts);
  const [chosen, setChosen] = useState<VmDetails['snapshots'][number]>();
  const restore = useChange('operator.restoreVm', {
    changes: ['operator.getVm'],
    onDone: () => setChosen(undefined),
  });
  return (
    <>
      <Table
        label={t.snapshots}
        rows={vm.snapshots}
        keyOf={({ id }) => id}
        empty={<Foot>{t.none}</Foot>}
        columns={[
          { id: 'name', title: t.name, narrow: 'title', cell: ({ name }) => name },
          { id: 'when', title: t.when, cell: ({ created_at }) => <TimeOf at={created_at} /> },
          {
            id: 'act',
            title: '',
            align: 'end',
            cell: (snapshot) => (
              <Button look="quiet" onPress={() => setChosen(snapshot)}>
                {t.restore}
              </Button>
            ),
          },
        ]}
      />
      <ConfirmDialog
        title={t.restoreTitle(vm.hostname)}
        isOpen={chosen !== undefined}
        onClose={() => setChosen(undefined)}
        confirm={t.restore}
        onConfirm={() =>
          chosen && restore.mutate({ params: { id: vm.id }, body: { snapshot_id: chosen.id } })
        }
        isPending={restore.isPending}
        error={restore.error}
        word={vm.hostname}
      >
        <p>{t.restoreWhy}</p>
      </ConfirmDialog>
    </>
  );
}
