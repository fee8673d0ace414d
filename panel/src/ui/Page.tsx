import { type ReactNode, useEffect } from 'react';
import { useSite } from '../shell/site.ts';
import classes from './Page.module.css';

/** What a page begins with: its name, how many there are, and what can be done. Also names the window. */
export function Page({
  title,
  aside,
  actions,
  children,
  narrow,
}: {
  title: string;
  /** Beside the title: a count, a state. */
  aside?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  /** For reading and forms: no wider than a line of text should be. */
  narrow?: boolean;
}) {
  useTitle(title);
  return (
    <div className={`${classes.page} ${narrow ? classes.narrow : ''}`}>
      <header className={classes.head}>
        <h1>{title}</h1>
        {aside && <div className={classes.aside}>{aside}</div>}
        {actions && <div className={classes.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** Names the window after the page. */
export function useTitle(title: string): void {
  const { name } = useSite();
  useEffect(() => {
    document.title = `${title} · ${name}`;
  }, [title, name]);
}

/** A part of a page with a heading of its own. */
export function Section({
  title,
  description,
  actions,
  children,
}: {
  title: string;
  description?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className={classes.section}>
      <header className={classes.sectionHead}>
        <div>
          <h2>{title}</h2>
          {description && <p className={classes.description}>{description}</p>}
        </div>
        {actions && <div className={classes.actions}>{actions}</div>}
      </header>
      {children}
    </section>
  );
}

/** Something with an edge around it. */
export function Card({
  title,
  actions,
  children,
}: {
  title?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className={classes.card}>
      {(title || actions) && (
        <header className={classes.cardHead}>
          <h2>{title}</h2>
          {actions}
        </header>
      )}
      {children}
    </div>
  );
}

/** Cards beside each other, as many as there is room for; `lead` gives the first two thirds. */
export function Columns({ children, lead }: { children: ReactNode; lead?: boolean }) {
  return <div className={lead ? classes.lead : classes.columns}>{children}</div>;
}

/** Things below each other. */
export function Stack({ children }: { children: ReactNode }) {
  return <div className={classes.stack}>{children}</div>;
}

/** What is known of something, by name. */
export function Facts({ facts }: { facts: [name: string, value: ReactNode][] }) {
  return (
    <dl className={classes.facts}>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A figure that matters, and what it is. */
export function Figure({ label, children, note }: { label: string; children: ReactNode; note?: ReactNode }) {
  return (
    <div className={classes.figure}>
      <span className={classes.figureLabel}>{label}</span>
      <span className={classes.figureValue}>{children}</span>
      {note && <span className={classes.figureNote}>{note}</span>}
    </div>
  );
}

/** Nothing there yet, and what to do about it. */
export function Empty({
  title,
  children,
  action,
}: {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className={classes.empty}>
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {action}
    </div>
  );
}

/** A remark below a table or a form. */
export function Foot({ children }: { children: ReactNode }) {
  return <p className={classes.foot}>{children}</p>;
}
