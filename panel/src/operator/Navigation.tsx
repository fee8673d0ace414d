import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import classes from '../shell/Navigation.module.css';
import { useTexts } from '../texts.ts';
import { Icon, type IconName } from '../ui/Icon.tsx';
import { to } from './links.ts';
import { overviewQuery } from './overview-query.ts';
import { texts } from './texts.ts';

/** Every page of the operator's, with how much waits there. */
export function Navigation() {
  const t = useTexts(texts);
  const { data } = useQuery(overviewQuery);
  return (
    <nav className={classes.nav} aria-label={t.main}>
      <Entry icon="list" path="/" label={t.overview} />
      <Entry icon="people" path="/accounts" label={t.accounts} />
      <Entry icon="machine" path="/machines" label={t.machines} />
      <Entry icon="clock" path="/jobs" label={t.jobs} note={data?.jobs_stuck} />
      <Entry icon="wallet" path="/money" label={t.money} note={data?.transfers_waiting} />
      <Entry icon="shield" path="/shield" label={t.shield} note={data?.attacks_ongoing} />
      <h2 className={classes.heading}>{t.service}</h2>
      <Entry icon="disk" path="/host" label={t.host} />
      <Entry icon="mail" path="/mails" label={t.mails} note={data?.mails_failed} />
      <Entry icon="book" path="/log" label={t.log} />
      <Entry icon="gear" path="/security" label={t.security} />
    </nav>
  );
}

function Entry({ icon, path, label, note }: { icon: IconName; path: string; label: string; note?: number }) {
  return (
    <Link {...to(path)} activeOptions={{ exact: path === '/' }} className={classes.entry}>
      <Icon name={icon} />
      {label}
      {note ? <span className={classes.note}>{note}</span> : null}
    </Link>
  );
}
