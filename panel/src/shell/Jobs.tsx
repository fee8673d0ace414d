import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { Job } from '../api/customer.ts';
import { useTexts } from '../texts.ts';
import { ProgressStrip } from '../ui/Progress.tsx';
import { Ago } from '../ui/Values.tsx';
import classes from './Jobs.module.css';
import { firstMachinesQuery } from './machines.ts';
import { shellTexts } from './shell-texts.ts';

/** More strips than this would push the page out of sight. */
const SHOWN = 2;

export function useJobName(): (kind: Job['kind']) => string {
  const t = useTexts(shellTexts);
  return (kind) => t[`job_${kind}`];
}

/** The running jobs of all machines, on every page. */
export function Jobs() {
  const t = useTexts(shellTexts);
  const nameOf = useJobName();
  const { data } = useQuery(firstMachinesQuery);
  // A machine's own page already shows its job.
  const { id: opened } = useParams({ strict: false });
  const busy = (data?.items ?? []).filter(({ id, active_job }) => active_job && id !== opened);
  if (busy.length === 0) return null;
  return (
    <section className={classes.jobs} aria-label={t.running}>
      {busy.slice(0, SHOWN).map(({ id, hostname, active_job }) => (
        <Link key={id} to="/machines/$id" params={{ id }} className={classes.link}>
          <ProgressStrip
            label={t.jobOf(nameOf(active_job!.kind), hostname)}
            value={active_job!.progress}
            note={<Ago at={active_job!.created_at} />}
          />
        </Link>
      ))}
      {busy.length > SHOWN && <p className={classes.more}>{t.moreJobs(busy.length - SHOWN)}</p>}
    </section>
  );
}
