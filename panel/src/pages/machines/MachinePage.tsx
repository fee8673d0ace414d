import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useParams } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { Job, Vm } from '../../api/customer.ts';
import { isRefusal } from '../../api/errors.ts';
import { readAll } from '../../api/queries.ts';
import { useHappenings } from '../../happenings.ts';
import { useTexts } from '../../texts.ts';
import { Badge } from '../../ui/Badge.tsx';
import { buttonClass } from '../../ui/Button.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Empty, Page } from '../../ui/Page.tsx';
import { ProgressStrip } from '../../ui/Progress.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { Ago, DateOf, TimeOf } from '../../ui/Values.tsx';
import { hasScreen, hasTerminal } from './actions.ts';
import { MachineContext } from './machine-context.ts';
import { PowerButtons } from './PowerButtons.tsx';
import { pageTexts } from './page-texts.ts';
import { MachineState, wordOf } from './state.tsx';
import { machineTexts } from './texts.ts';
import { useMachineQuery } from './use-machine-query.ts';

/** A machine's state and actions, and below them the tab that is open. */
export function MachinePage() {
  const t = useTexts(pageTexts);
  const { id } = useParams({ from: '/shell/machines/$id' });
  const query = useMachineQuery(id);
  useFollowedJob(query.data);
  if (isRefusal(query.error, 'not_found'))
    return (
      <Empty
        title={t.goneTitle}
        action={
          <Link to="/machines" className={buttonClass()}>
            {t.toList}
          </Link>
        }
      >
        {t.gone}
      </Empty>
    );
  return (
    <Loaded query={query} lines={10}>
      {(vm) => (
        <MachineContext value={vm}>
          <Page title={vm.hostname} aside={<Standing vm={vm} />} actions={<Actions vm={vm} />}>
            <Work vm={vm} />
            <Parts id={id} />
            <Outlet />
          </Page>
        </MachineContext>
      )}
    </Loaded>
  );
}

/** Refetches everything that a job may have changed when it ends. */
function useFollowedJob(vm: Vm | undefined): void {
  const client = useQueryClient();
  const followed = useRef<string>(undefined);
  const job = vm?.active_job?.id;
  useEffect(() => {
    if (followed.current && followed.current !== job)
      void client.invalidateQueries({
        predicate: ({ queryKey }) =>
          queryKey[0] !== 'getVm' && JSON.stringify(queryKey).includes(vm?.id ?? '-'),
      });
    followed.current = job;
  }, [client, job, vm?.id]);
}

function Standing({ vm }: { vm: Vm }) {
  const t = useTexts(pageTexts);
  const attack = useAttack(vm.id);
  return (
    <>
      <MachineState status={vm.status} />
      {attack && <Badge tone="bad">{attack === 'mitigating' ? t.mitigated : t.attacked}</Badge>}
    </>
  );
}

function useAttack(id: string): 'under_attack' | 'mitigating' | undefined {
  const { data } = useQuery(readAll('listNics', { params: { id }, query: {} }));
  const shield = data?.flatMap(({ ips }) => ips).find((ip) => ip.shield)?.shield as
    | { tenant_id: string; target_id: string }
    | null
    | undefined;
  const targets = useQuery({
    ...readAll('listShieldTargets', { params: { tid: shield?.tenant_id ?? '-' }, query: {} }),
    enabled: Boolean(shield),
  });
  const status = targets.data?.find(({ vm_id, status }) => vm_id === id && status !== 'clean')?.status;
  return status === 'clean' ? undefined : status;
}

function Actions({ vm }: { vm: Vm }) {
  const t = useTexts(pageTexts);
  return (
    <>
      {hasTerminal(vm) && (
        <Link to="/machines/$id/terminal" params={{ id: vm.id }} className={buttonClass('main')}>
          {t.openTerminal}
        </Link>
      )}
      {hasScreen(vm) && (
        <Link to="/machines/$id/screen" params={{ id: vm.id }} className={buttonClass()}>
          {t.screen}
        </Link>
      )}
      <PowerButtons vm={vm} />
    </>
  );
}

/** The running job, or the outcome of the last one if it failed. */
function Work({ vm }: { vm: Vm }) {
  const t = useTexts(pageTexts);
  const words = useTexts(machineTexts);
  const { jobErrorText } = useHappenings();
  const job = vm.active_job;
  if (job)
    return (
      <ProgressStrip
        label={nameOfJob(words, job)}
        value={job.progress}
        note={
          job.started_at ? (
            <>
              {t.started} <Ago at={job.started_at} />
            </>
          ) : (
            t.waits
          )
        }
      />
    );
  const last = vm.last_job;
  return (
    <>
      {last?.status === 'failed' && (
        <Notice kind="bad" title={t.jobFailed(nameOfJob(words, last))}>
          {last.error && jobErrorText(last.error)}
        </Notice>
      )}
      {vm.status === 'suspended' && (
        <Notice kind="warn" title={t.suspendedTitle}>
          <span>
            {t.suspended} <DateOf at={vm.billing_period_end_at} />
          </span>
        </Notice>
      )}
      {vm.move_window && (
        <Notice kind="info" title={t.moveTitle}>
          <span>
            {t.moveFrom} <TimeOf at={vm.move_window.from_at} /> {t.moveTo}{' '}
            <TimeOf at={vm.move_window.to_at} />. {t.moveSooner}
          </span>
        </Notice>
      )}
    </>
  );
}

export const nameOfJob = (words: Record<string, unknown>, { kind }: Pick<Job, 'kind'>) =>
  wordOf(words, `${kind}Job`);

function Parts({ id }: { id: string }) {
  const t = useTexts(pageTexts);
  const params = { id };
  return (
    <Tabs
      label={t.parts}
      tabs={[
        { label: t.overview, link: { to: '/machines/$id', params } },
        { label: t.terminal, link: { to: '/machines/$id/terminal', params } },
        { label: t.screen, link: { to: '/machines/$id/screen', params } },
        { label: t.network, link: { to: '/machines/$id/network', params } },
        { label: t.snapshots, link: { to: '/machines/$id/snapshots', params } },
        { label: t.agent, link: { to: '/machines/$id/agent', params } },
        { label: t.activity, link: { to: '/machines/$id/activity', params } },
        { label: t.billing, link: { to: '/machines/$id/billing', params } },
        { label: t.resize, link: { to: '/machines/$id/resize', params } },
        { label: t.settings, link: { to: '/machines/$id/settings', params } },
      ]}
    />
  );
}
