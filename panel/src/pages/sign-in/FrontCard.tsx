import type { ReactNode } from 'react';
import { useTitle } from '../../ui/Page.tsx';
import classes from './FrontCard.module.css';

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

/** Separates two ways to sign in. */
export function Or({ children }: { children: ReactNode }) {
  return (
    <div className={classes.or}>
      <span>{children}</span>
    </div>
  );
}
