import { useTexts } from '../../../texts.ts';
import { Badge, State } from '../../../ui/Badge.tsx';
import { Button } from '../../../ui/Button.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { TimeOf } from '../../../ui/Values.tsx';
import classes from './agent.module.css';
import { agentTexts } from './texts.ts';
import type { Approval, CommandEntry, Entry, Risk } from './transcript.ts';

const TONES: Record<Risk, 'ok' | 'warn' | 'bad'> = { safe: 'ok', caution: 'warn', dangerous: 'bad' };

/** A message, a command or an approval request. All of it comes from outside, so it is rendered as plain text. */
export function EntryView({
  entry,
  approval,
  onDecide,
}: {
  entry: Entry;
  approval: Approval | null;
  onDecide: (decision: 'approve' | 'deny') => void;
}) {
  const t = useTexts(agentTexts);
  switch (entry.kind) {
    case 'user':
      return (
        <li className={classes.user}>
          <span className="visually-hidden">{t.you}: </span>
          {entry.text}
        </li>
      );
    case 'message':
      return (
        <li className={classes.message}>
          <span className="visually-hidden">{t.agent}: </span>
          {entry.text}
        </li>
      );
    case 'note':
      return <li className={classes.note}>{entry.text}</li>;
    case 'error':
      return (
        <li className={classes.error}>
          <Icon name="warning" /> {entry.text}
        </li>
      );
    case 'command':
      return <Command entry={entry} approval={approval} onDecide={onDecide} />;
  }
}

function Command({
  entry,
  approval,
  onDecide,
}: {
  entry: CommandEntry;
  approval: Approval | null;
  onDecide: (decision: 'approve' | 'deny') => void;
}) {
  const t = useTexts(agentTexts);
  return (
    <li className={classes.command}>
      <header>
        <code className={classes.line}>{entry.command}</code>
        {entry.risk && <Badge tone={TONES[entry.risk]}>{t[entry.risk]}</Badge>}
        <Standing entry={entry} isAsked={approval !== null} />
      </header>
      {entry.reason && <p className={classes.reason}>{entry.reason}</p>}
      {approval && (
        <div className={classes.decision}>
          <p>
            {t.decide} <TimeOf at={approval.expiresAt} />
          </p>
          <Button look="main" onPress={() => onDecide('approve')}>
            {t.approve}
          </Button>
          <Button onPress={() => onDecide('deny')}>{t.deny}</Button>
        </div>
      )}
      {entry.output && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard, too
        <pre className={classes.output} tabIndex={0}>
          {entry.output}
        </pre>
      )}
      {entry.truncated && <p className={classes.reason}>{t.truncated}</p>}
    </li>
  );
}

function Standing({ entry, isAsked }: { entry: CommandEntry; isAsked: boolean }) {
  const t = useTexts(agentTexts);
  if (isAsked)
    return (
      <State tone="warn" shape="ring">
        {t.awaiting}
      </State>
    );
  if (entry.state === 'running')
    return (
      <State tone="info" shape="ring">
        {t.running}
      </State>
    );
  if (entry.state === 'denied')
    return (
      <State tone="faint" shape="square">
        {entry.deniedBy === 'policy' ? t.deniedByPolicy : t.denied}
      </State>
    );
  if (entry.state !== 'done') return null;
  if (entry.exitCode === 0) return <State tone="ok">{t.done}</State>;
  return (
    <State tone="bad" shape="triangle">
      {entry.exitCode === null ? t.noExit : t.exit(entry.exitCode)}
    </State>
  );
}
