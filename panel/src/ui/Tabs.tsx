import { Link, type LinkProps, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import classes from './Tabs.module.css';

export interface Tab {
  label: string;
  link: LinkProps;
}

/** The parts of a page. Each is a link, so that it can be bookmarked, shared and found in the history. */
export function Tabs({ label, tabs }: { label: string; tabs: Tab[] }) {
  const nav = useRef<HTMLElement>(null);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // Scrolls the current tab into view if they do not all fit.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another path is another tab
  useEffect(() => {
    const current = nav.current?.querySelector<HTMLElement>('[aria-current="page"]');
    if (!nav.current || !current) return;
    const middle = current.offsetLeft - nav.current.offsetLeft + current.offsetWidth / 2;
    nav.current.scrollLeft = middle - nav.current.clientWidth / 2;
  }, [path]);
  return (
    <nav ref={nav} className={classes.tabs} aria-label={label}>
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
