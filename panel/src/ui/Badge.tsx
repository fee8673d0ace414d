import type { ReactNode } from 'react';
import classes from './Badge.module.css';
import tones from './tones.module.css';

/** The meaning of a state, which sets its colour. */
export type Tone = 'ok' | 'warn' | 'bad' | 'info' | 'shield' | 'faint';
/** The shape of a state, for people who cannot tell the colours apart: fine, in progress, at rest, in trouble. */
export type Shape = 'dot' | 'ring' | 'square' | 'triangle';

/** A state as a shape and a word. */
export function State({ tone, shape = 'dot', children }: { tone: Tone; shape?: Shape; children: ReactNode }) {
  return (
    <span className={`${classes.state} ${tones[tone]}`}>
      <i className={`${classes.mark} ${classes[shape]}`} aria-hidden="true" />
      {children}
    </span>
  );
}

export function Badge({ tone = 'faint', children }: { tone?: Tone; children: ReactNode }) {
  return <span className={`${classes.badge} ${tones[tone]}`}>{children}</span>;
}
