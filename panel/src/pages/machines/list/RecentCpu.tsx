import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Vm } from '../../../api/customer.ts';
import { read } from '../../../api/queries.ts';
import { columnsOf, latest } from '../../../charts/series.ts';
import { Sparkline } from '../../../charts/sparkline.tsx';
import { useTexts } from '../../../texts.ts';
import { formatPercent } from '../formats.ts';
import classes from './list.module.css';
import { listTexts } from './texts.ts';

/** A row must be visible this long before it loads anything, so that scrolling past sends no requests. */
const LOOKED_AT_MS = 350;
const FRESH_MS = 60_000;
const STEP_SECONDS = 120;
const FULL = 100;

/** CPU usage of the last hour as a sparkline. */
export function RecentCpu({ vm }: { vm: Vm }) {
  const t = useTexts(listTexts);
  const [isLookedAt, setIsLookedAt] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsLookedAt(true), LOOKED_AT_MS);
    return () => clearTimeout(timer);
  }, []);
  const isOn = vm.status === 'running';
  const { data } = useQuery({
    ...read('getVmMetrics', { params: { id: vm.id }, query: { metrics: 'cpu', step: STEP_SECONDS } }),
    enabled: isLookedAt && isOn,
    staleTime: FRESH_MS,
    refetchInterval: FRESH_MS,
  });
  if (!isOn) return <span className={classes.off}>{t.off}</span>;
  if (!data) return null;
  const [, values = []] = columnsOf(data, ['cpu_percent']);
  const now = latest(values);
  return (
    <Sparkline values={values} top={FULL} label={now === null ? t.noCpu : t.cpuNow(formatPercent(now))} />
  );
}
