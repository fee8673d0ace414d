import type { ReactNode } from 'react';
import { type ButtonProps, Button as Pressable } from 'react-aria-components/Button';
import classes from './Button.module.css';
import { Icon, type IconName } from './Icon.tsx';

export interface Props extends Omit<ButtonProps, 'className' | 'style' | 'children'> {
  children?: ReactNode;
  /** `main` once a page; `danger` for what cannot be undone; `quiet` without an edge. */
  look?: 'main' | 'normal' | 'danger' | 'quiet';
  icon?: IconName;
  /** Under way: it cannot be pressed again, and says so. */
  isPending?: boolean;
  /** Also where there is an icon alone: what it is called. */
  label?: string;
}

/** Something to press. */
export function Button({ children, look = 'normal', icon, label, ...props }: Props) {
  const shape = children === undefined ? classes.square : '';
  return (
    <Pressable
      {...props}
      aria-label={label ?? props['aria-label']}
      className={`${classes.button} ${classes[look]} ${shape}`}
    >
      {props.isPending ? (
        <span className={classes.spinner} aria-hidden="true" />
      ) : (
        icon && <Icon name={icon} />
      )}
      {children}
    </Pressable>
  );
}

/** The look of a button, for a link that leads on. */
export function buttonClass(look: 'main' | 'normal' | 'quiet' = 'normal'): string {
  return `${classes.button} ${classes[look]}`;
}
