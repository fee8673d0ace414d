import { type ReactNode, useEffect, useState } from 'react';
import { formatAgo, formatDate, formatMoney, formatTime, useLocale } from '../format.ts';
import { defineTexts, useTexts } from '../texts.ts';
import { Icon } from './Icon.tsx';
import { announce } from './Status.tsx';
import classes from './Values.module.css';

/** An amount of money; with `sign`, refunds look different from charges. */
export function Money({ minor, currency, sign }: { minor: number; currency: string; sign?: boolean }) {
  const text = formatMoney(minor, currency, useLocale());
  return <span className={classes.money}>{sign && minor > 0 ? `+${text}` : text}</span>;
}

/** A day; the tooltip shows the time. */
export function DateOf({ at }: { at: string }) {
  const locale = useLocale();
  return (
    <time dateTime={at} title={formatTime(at, locale)}>
      {formatDate(at, locale)}
    </time>
  );
}

export function TimeOf({ at }: { at: string }) {
  return (
    <time dateTime={at} className={classes.time}>
      {formatTime(at, useLocale())}
    </time>
  );
}

/** "3 minutes ago" stays accurate enough for this long. */
const TICK_MS = 30_000;

/** The time since `at`, updated while it is shown; the tooltip shows the time. */
export function Ago({ at }: { at: string }) {
  const locale = useLocale();
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={at} title={formatTime(at, locale)}>
      {formatAgo(at, now, locale)}
    </time>
  );
}

const texts = defineTexts(
  { copy: (what: string) => `Copy ${what}`, copied: 'Copied', failed: 'The browser did not allow copying' },
  {
    copy: (what: string) => `${what} kopieren`,
    copied: 'Kopiert',
    failed: 'Der Browser hat das Kopieren nicht erlaubt',
  },
);
/** Long enough to be noticed. */
const COPIED_MS = 1_600;

export function CopyButton({ text, what, children }: { text: string; what: string; children?: ReactNode }) {
  const t = useTexts(texts);
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), COPIED_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      announce(t.copied);
    } catch {
      announce(t.failed, 'bad');
    }
  };
  return (
    <button
      type="button"
      className={children ? classes.copyWide : classes.copy}
      aria-label={t.copy(what)}
      title={t.copy(what)}
      onClick={copy}
    >
      <Icon name={copied ? 'check' : 'copy'} size={14} />
      {children}
    </button>
  );
}

/** An address, fingerprint or id in a monospaced font, with a copy button. `what` names it for the button's label. */
export function Address({ children, what }: { children: string; what: string }) {
  return (
    <span className={classes.address}>
      <span className={classes.mono}>{children}</span>
      <CopyButton text={children} what={what} />
    </span>
  );
}

/** Monospaced text without a copy button. */
export function Mono({ children }: { children: ReactNode }) {
  return <span className={classes.mono}>{children}</span>;
}

/** Lines to copy as a whole, such as a command. */
export function CodeBlock({ children, what }: { children: string; what: string }) {
  return (
    <div className={classes.block}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled, by the keyboard too. */}
      <section tabIndex={0} aria-label={what}>
        <pre>{children}</pre>
      </section>
      <CopyButton text={children} what={what} />
    </div>
  );
}
