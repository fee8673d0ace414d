import type { ReactNode } from 'react';
import classes from './Progress.module.css';

/** Progress in percent. */
export function ProgressBar({ value, label }: { value: number; label: string }) {
  return (
    <div
      className={classes.bar}
      role="progressbar"
      aria-label={label}
      aria-valuenow={value}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      <i style={{ width: `${Math.max(value, 2)}%` }} />
    </div>
  );
}

export function ProgressStrip({ label, value, note }: { label: string; value: number; note?: ReactNode }) {
  return (
    <div className={classes.strip}>
      <i className={classes.ring} aria-hidden="true" />
      <strong>{label}</strong>
      <ProgressBar value={value} label={label} />
      <span className={classes.value} aria-hidden="true">
        {value} %
      </span>
      {note && <span className={classes.note}>{note}</span>}
    </div>
  );
}

export function Meter({
  label,
  value,
  max,
  children,
}: {
  label: string;
  value: number;
  max: number;
  children: ReactNode;
}) {
  const share = max > 0 ? Math.min(100, (value / max) * 100) : 0;
  return (
    <div className={classes.meter}>
      <span>{label}</span>
      <span className={classes.value}>{children}</span>
      <div
        className={`${classes.bar} ${share >= 90 ? classes.nearlyFull : ''}`}
        role="meter"
        aria-label={label}
        aria-valuenow={value}
        aria-valuemin={0}
        aria-valuemax={max}
      >
        <i style={{ width: `${share}%` }} />
      </div>
    </div>
  );
}
