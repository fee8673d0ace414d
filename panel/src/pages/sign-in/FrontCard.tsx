import type { ReactNode } from 'react';
import { useTitle } from '../../ui/Page.tsx';
import classes from './FrontCard.module.css';

/** The one thing on a page of the sign-in. */
export function FrontCard({
  title,
  children,
  below,
}: {
  title: string;
  children: ReactNode;
  below?: ReactNode;
}) {
  useTitle(title);
  return (
    <div className={classes.place}>
      <div className={classes.card}>
        <h1>{title}</h1>
        {children}
      </div>
      {below && <p className={classes.below}>{below}</p>}
    </div>
  );
}

/** Between two ways to do the same. */
export function Or({ children }: { children: ReactNode }) {
  return (
    <div className={classes.or}>
      <span>{children}</span>
    </div>
  );
}
