import { useSyncExternalStore } from 'react';
import { Icon } from './Icon.tsx';
import classes from './Status.module.css';

type Kind = 'ok' | 'bad';
interface Message {
  id: number;
  kind: Kind;
  text: string;
}

/** Long enough to read a line. */
const SHOWN_MS: Record<Kind, number> = { ok: 4_000, bad: 9_000 };
/** More messages at once would hide the page, and point to a bug in it. */
const MAX_SHOWN = 3;

let messages: Message[] = [];
let last = 0;
const listeners = new Set<() => void>();

function set(next: Message[]): void {
  messages = next;
  for (const listener of listeners) listener();
}

/** Shows a message at the lower edge for some seconds; screen readers announce it. */
export function announce(text: string, kind: Kind = 'ok'): void {
  const id = ++last;
  set([...messages.filter((message) => message.text !== text), { id, kind, text }].slice(-MAX_SHOWN));
  setTimeout(() => set(messages.filter((message) => message.id !== id)), SHOWN_MS[kind]);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Shows the announcements; once per page. */
export function Status() {
  const shown = useSyncExternalStore(subscribe, () => messages);
  return (
    <div className={classes.status} role="status" aria-live="polite">
      {shown.map(({ id, kind, text }) => (
        <div key={id} className={`${classes.message} ${classes[kind]}`}>
          <Icon name={kind === 'ok' ? 'check' : 'warning'} />
          {text}
        </div>
      ))}
    </div>
  );
}
