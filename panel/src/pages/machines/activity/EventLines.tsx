import type { VmEvent } from '../../../api/customer.ts';
import { useHappenings } from '../../../happenings.ts';
import { useTexts } from '../../../texts.ts';
import { Ago } from '../../../ui/Values.tsx';
import classes from './activity.module.css';
import { activityTexts } from './texts.ts';

export function EventLines({ events }: { events: readonly VmEvent[] }) {
  const t = useTexts(activityTexts);
  const { eventText } = useHappenings();
  if (events.length === 0) return <p className={classes.who}>{t.nothing}</p>;
  return (
    <ol className={classes.lines}>
      {events.map((event) => (
        <li key={event.id}>
          <span className={classes.when}>
            <Ago at={event.created_at} />
          </span>
          <span className={event.level === 'info' ? undefined : classes[event.level]}>
            {eventText(event)}
          </span>
          <span className={classes.who}>{t[event.actor.type]}</span>
        </li>
      ))}
    </ol>
  );
}
