import { useQuery } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTexts } from '../texts.ts';
import { Icon, type IconName } from '../ui/Icon.tsx';
import { firstMachinesQuery } from './machines.ts';
import classes from './Navigation.module.css';
import { shellTexts } from './shell-texts.ts';
import { useSite } from './site.ts';

export function Navigation() {
  const t = useTexts(shellTexts);
  const { support_url } = useSite();
  const { data: machines } = useQuery(firstMachinesQuery);
  const count = machines && (machines.next ? `${machines.items.length}+` : machines.items.length);
  return (
    <nav className={classes.nav} aria-label={t.main}>
      <Entry icon="machine" link={{ to: '/machines' }} label={t.machines} note={count} />
      <Entry icon="shield" link={{ to: '/shield' }} label={t.shield} />
      <Entry icon="key" link={{ to: '/ssh-keys' }} label={t.sshKeys} />
      <h2 className={classes.heading}>{t.account}</h2>
      <Entry icon="wallet" link={{ to: '/billing' }} label={t.billing} />
      <Entry icon="code" link={{ to: '/keys' }} label={t.keys} />
      <Entry icon="people" link={{ to: '/members' }} label={t.members} />
      <Entry icon="list" link={{ to: '/audit' }} label={t.audit} />
      <Entry icon="gear" link={{ to: '/account' }} label={t.settings} />
      <div className={classes.grow} />
      {support_url && <Away icon="mail" href={support_url} label={t.support} />}
      <Away icon="book" href="/docs" label={t.reference} />
    </nav>
  );
}

function Entry({
  icon,
  link,
  label,
  note,
}: {
  icon: IconName;
  link: LinkProps;
  label: string;
  note?: ReactNode;
}) {
  return (
    <Link {...link} className={classes.entry}>
      <Icon name={icon} />
      {label}
      {note !== undefined && <span className={classes.note}>{note}</span>}
    </Link>
  );
}

function Away({ icon, href, label }: { icon: IconName; href: string; label: string }) {
  return (
    <a href={href} className={classes.entry} target="_blank" rel="noreferrer">
      <Icon name={icon} />
      {label}
    </a>
  );
}
