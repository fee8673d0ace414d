import { type ReactNode, useEffect } from 'react';
import { useSite } from '../shell/site.ts';
import classes from './Page.module.css';

/** The head of a page, with title, count and actions, and its content. Also sets the window title. */
export function Page({
  title,
  aside,
  actions,
  children,
  narrow,
}: {
  title: string;
  /** Next to the title: a count or a status. */
  aside?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  /** Limits the width to that of a readable line, for text and forms. */
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

export function useTitle(title: string): void {
  const { name } = useSite();
  useEffect(() => {
    document.title = `${title} · ${name}`;
  }, [title, name]);
}

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

/** Cards side by side, as many as fit; `lead` gives the first one two thirds of the width. */
export function Columns({ children, lead }: { children: ReactNode; lead?: boolean }) {
  return <div className={lead ? classes.lead : classes.columns}>{children}</div>;
}

export function Stack({ children }: { children: ReactNode }) {
  return <div className={classes.stack}>{children}</div>;
}

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

export function Figure({ label, children, note }: { label: string; children: ReactNode; note?: ReactNode }) {
  return (
    <div className={classes.figure}>
      <span className={classes.figureLabel}>{label}</span>
      <span className={classes.figureValue}>{children}</span>
      {note && <span className={classes.figureNote}>{note}</span>}
    </div>
  );
}

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

export function Foot({ children }: { children: ReactNode }) {
  return <p className={classes.foot}>{children}</p>;
}
