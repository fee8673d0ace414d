import type { ReactNode } from 'react';
import { ApiError } from '../api/errors.ts';
import { errorText, fieldText } from '../problems.ts';
import { useLanguage } from '../settings.ts';
import { defineTexts, useTexts } from '../texts.ts';
import type { Tone } from './Badge.tsx';
import { Icon } from './Icon.tsx';
import classes from './Notice.module.css';
import tones from './tones.module.css';

const texts = defineTexts(
  {
    unreachable: 'The service cannot be reached. Nothing was lost. Please try again.',
    internal: 'Something went wrong on our side. If it happens again, give support this request ID:',
    busy: (seconds: number) => `Too many requests. Try again in ${seconds} s.`,
    busyNow: 'Too many requests. Try again in a moment.',
    unknownDevice:
      'There were too many sign-in attempts for this address from unknown devices. Use a device that you have ' +
      'signed in on before, a passkey, or a link to choose a new password.',
    forbidden: 'Your role in this account does not allow this.',
    signedOut: 'You are signed out. Sign in again to continue.',
  },
  {
    unreachable: 'Der Dienst ist nicht erreichbar. Es ging nichts verloren. Versuchen Sie es noch einmal.',
    internal:
      'Bei uns ist etwas schiefgegangen. Falls es wieder vorkommt, nennen Sie dem Support diese Anfrage-ID:',
    busy: (seconds: number) => `Zu viele Anfragen. Versuchen Sie es in ${seconds} s noch einmal.`,
    busyNow: 'Zu viele Anfragen. Versuchen Sie es gleich noch einmal.',
    unknownDevice:
      'Für diese Adresse gab es zu viele Anmeldeversuche auf unbekannten Geräten. Verwenden Sie ein Gerät, auf dem Sie sich ' +
      'schon einmal angemeldet haben, einen Passkey oder einen Link, um ein neues Passwort zu wählen.',
    forbidden: 'Ihre Rolle in diesem Konto erlaubt das nicht.',
    signedOut: 'Sie sind abgemeldet. Melden Sie sich an, um fortzufahren.',
  },
);

export function Notice({
  kind = 'info',
  title,
  children,
  action,
}: {
  kind?: Extract<Tone, 'info' | 'ok' | 'warn' | 'bad'>;
  title?: ReactNode;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className={`${classes.notice} ${tones[kind]}`} role={kind === 'bad' ? 'alert' : undefined}>
      <Icon name={kind === 'ok' ? 'check' : kind === 'info' ? 'info' : 'warning'} />
      <div className={classes.body}>
        {title && <strong className={classes.title}>{title}</strong>}
        {children}
      </div>
      {action}
    </div>
  );
}

/** Explains an error; `children` replace the default explanation. */
export function Problem({
  error,
  children,
  action,
}: {
  error: Error;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <Notice kind="bad" action={action}>
      {children || <Explanation error={error} />}
    </Notice>
  );
}

/** The explanation of an error as plain text. */
export function Explanation({ error }: { error: Error }) {
  const t = useTexts(texts);
  const language = useLanguage();
  if (!(error instanceof ApiError)) return t.unreachable;
  const { code, details, requestId, fields } = error;
  if (code === 'unreachable') return t.unreachable;
  if (code === 'internal_error')
    return (
      <>
        {t.internal} <code>{requestId}</code>
      </>
    );
  if (code === 'rate_limit_exceeded') {
    // The typed policies are those of requests; limits on sign-in attempts have policies of their own.
    const policy: string | undefined = details.policy;
    if (policy === 'unknown_device') return t.unknownDevice;
    return details.retry_after_seconds ? t.busy(details.retry_after_seconds) : t.busyNow;
  }
  if (code === 'scope_required' || code === 'role_required') return t.forbidden;
  if (error.status === 401 && code.includes('session')) return t.signedOut;
  return fields.length > 0
    ? fields.map((each) => fieldText(each, language)).join(' ')
    : errorText(error, language);
}
