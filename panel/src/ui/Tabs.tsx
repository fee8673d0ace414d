import { Link, type LinkProps } from '@tanstack/react-router';
import classes from './Tabs.module.css';

/** A part of a page, at an address of its own. */
export interface Tab {
  label: string;
  link: LinkProps;
}

/** The parts of a page. Each is a link, so that it can be kept, sent and gone back to. */
export function Tabs({ label, tabs }: { label: string; tabs: Tab[] }) {
  return (
    <nav className={classes.tabs} aria-label={label}>
      {tabs.map(({ label, link }) => (
        <Link
          key={label}
          {...link}
          activeOptions={{ exact: true, includeSearch: false }}
          className={classes.tab}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
