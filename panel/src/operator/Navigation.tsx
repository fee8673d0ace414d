import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Overview } from '../../../shared/api/operator.ts';
import classes from '../shell/Navigation.module.css';
import { useTexts } from '../texts.ts';
import { Icon, type IconName } from '../ui/Icon.tsx';
import { to } from './links.ts';
import { overviewQuery } from './overview-query.ts';
import { texts } from './texts.ts';

interface Place {
  icon: IconName;
  path: string;
  label: TextName;
  /** The number of items that need attention there. */
  waits?: (overview: Overview) => number;
}

/** Names of the texts that take no values. */
type TextName = {
  [Key in keyof typeof texts.en]: (typeof texts.en)[Key] extends string ? Key : never;
}[keyof typeof texts.en];

const MAIN: Place[] = [
  { icon: 'list', path: '/', label: 'overview' },
  { icon: 'people', path: '/accounts', label: 'accounts' },
  { icon: 'machine', path: '/machines', label: 'machines' },
  { icon: 'clock', path: '/jobs', label: 'jobs', waits: ({ jobs_stuck }) => jobs_stuck },
  { icon: 'wallet', path: '/money', label: 'money', waits: ({ transfers_waiting }) => transfers_waiting },
  { icon: 'warning', path: '/outages', label: 'outages' },
  { icon: 'shield', path: '/shield', label: 'shield', waits: ({ attacks_ongoing }) => attacks_ongoing },
];
const SERVICE: Place[] = [
  { icon: 'disk', path: '/host', label: 'host' },
  { icon: 'mail', path: '/mails', label: 'mails', waits: ({ mails_failed }) => mails_failed },
  { icon: 'book', path: '/log', label: 'log' },
  { icon: 'gear', path: '/security', label: 'security' },
];
export const PAGES = [...MAIN, ...SERVICE];

/** Links to every operator page, each with the number of items that need attention. */
export function Navigation() {
  const t = useTexts(texts);
  return (
    <nav className={classes.nav} aria-label={t.main}>
      {MAIN.map((place) => (
        <Entry key={place.path} {...place} />
      ))}
      <h2 className={classes.heading}>{t.service}</h2>
      {SERVICE.map((place) => (
        <Entry key={place.path} {...place} />
      ))}
    </nav>
  );
}

function Entry({ icon, path, label, waits }: Place) {
  const t = useTexts(texts);
  const { data } = useQuery(overviewQuery);
  const note = data && waits?.(data);
  return (
    <Link {...to(path)} activeOptions={{ exact: path === '/' }} className={classes.entry}>
      <Icon name={icon} />
      {t[label]}
      {note ? <span className={classes.note}>{note}</span> : null}
    </Link>
  );
}
