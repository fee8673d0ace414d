import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { read, useChange } from '../../api/queries.ts';
import { formatNumber } from '../../format.ts';
import { useTexts } from '../../texts.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/Dialog.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Problem } from '../../ui/Notice.tsx';
import { Page, Section, Stack } from '../../ui/Page.tsx';
import { announce } from '../../ui/Status.tsx';
import { Table } from '../../ui/Table.tsx';
import { texts } from '../texts.ts';
import { Clusters } from './Clusters.tsx';
import { ClusterFindings, HostFindings } from './Findings.tsx';
import { Hosts } from './Hosts.tsx';
import { Images, Orphans } from './Images.tsx';

export function Host() {
  const t = useTexts(texts);
  const [isDraining, setDraining] = useState(false);
  const drain = useChange('operator.drainHost', {
    onDone: ({ shut_down, powered_off }) => {
      announce(t.drained(shut_down + powered_off));
      setDraining(false);
    },
  });
  const { data: host } = useQuery(read('operator.getHost'));
  const isClustered = host?.clustered ?? false;
  const resume = useChange('operator.resumeHost', { onDone: () => announce(t.resumed) });
  return (
    <Page
      title={t.host}
      actions={
        <>
          <Button isPending={resume.isPending} onPress={() => resume.mutate({})}>
            {t.resume}
          </Button>
          <Button look="danger" onPress={() => setDraining(true)}>
            {t.drain}
          </Button>
        </>
      }
    >
      <Stack>
        {resume.error && <Problem error={resume.error} />}
        {isClustered && (
          <Section title={t.clusters} description={t.clustersWhy}>
            <Clusters />
          </Section>
        )}
        <Section title={t.hosts} description={t.hostsWhy}>
          <Hosts />
        </Section>
        <Section title={t.capacity}>
          <Capacity />
        </Section>
        <Section title={t.findings} description={isClustered ? t.findingsOfClustersWhy : t.findingsWhy}>
          {isClustered ? <ClusterFindings /> : <HostFindings />}
        </Section>
        <Section title={t.images} description={t.imagesWhy}>
          <Images />
        </Section>
        <Section title={t.orphans} description={t.orphansWhy}>
          <Orphans />
        </Section>
      </Stack>
      <ConfirmDialog
        title={t.drainTitle}
        isOpen={isDraining}
        onClose={() => setDraining(false)}
        confirm={t.drain}
        onConfirm={() => drain.mutate({ body: {} })}
        isPending={drain.isPending}
        error={drain.error}
      >
        <p>{t.drainWhy}</p>
      </ConfirmDialog>
    </Page>
  );
}

function Capacity() {
  const t = useTexts(texts);
  const query = useQuery(read('operator.getCapacity'));
  const amount = (value: number | null) => (value === null ? t.unlimited : formatNumber(value));
  return (
    <Loaded query={query} lines={3}>
      {({ resources }) => (
        <Table
          label={t.capacity}
          rows={resources}
          keyOf={({ resource }) => resource}
          columns={[
            { id: 'what', title: t.what, narrow: 'title', cell: ({ resource }) => t[`resource_${resource}`] },
            { id: 'free', title: t.free, align: 'end', narrow: 'aside', cell: ({ free }) => amount(free) },
            { id: 'reserved', title: t.reserved, align: 'end', cell: ({ reserved }) => amount(reserved) },
            { id: 'total', title: t.total, align: 'end', cell: ({ total }) => amount(total) },
          ]}
        />
      )}
    </Loaded>
  );
}
