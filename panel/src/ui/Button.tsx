import type { MouseEvent, ReactNode, Ref } from 'react';
import classes from './Button.module.css';
import { Icon, type IconName } from './Icon.tsx';

export interface Props {
  children?: ReactNode;
  /** `main` once a page; `danger` for what cannot be undone; `quiet` without an edge; `round` for two letters. */
  look?: 'main' | 'normal' | 'danger' | 'quiet' | 'round';
  icon?: IconName;
  /** Under way: it cannot be pressed again, and says so. */
  isPending?: boolean;
  isDisabled?: boolean;
  /** Also where there is an icon alone: what it is called. */
  label?: string;
  onPress?: () => void;
  /** When it is about to be pressed, perhaps. */
  onHoverStart?: () => void;
  type?: 'button' | 'submit';
  /** The form that it sends, by its id, from outside of it. */
  form?: string;
  autoFocus?: boolean;
  ref?: Ref<HTMLButtonElement>;
  'aria-haspopup'?: 'menu';
  'aria-expanded'?: boolean;
}

/** Something to press: the browser's own button, which every device presses in its way. */
export function Button({
  children,
  look = 'normal',
  icon,
  isPending,
  isDisabled,
  label,
  onPress,
  onHoverStart,
  type = 'button',
  ...props
}: Props) {
  const shape = children === undefined ? classes.square : '';
  const press = (event: MouseEvent) => {
    // Not by `disabled`, which takes the focus away from who has just pressed it.
    if (isPending) event.preventDefault();
    else onPress?.();
  };
  return (
    <button
      {...props}
      type={type}
      disabled={isDisabled}
      aria-disabled={isPending || undefined}
      aria-label={label}
      className={[classes.button, classes[look], shape].filter(Boolean).join(' ')}
      onClick={press}
      onPointerEnter={onHoverStart}
      onFocus={onHoverStart}
    >
      {isPending ? <span className={classes.spinner} aria-hidden="true" /> : icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** The look of a button, for a link that leads on. */
export function buttonClass(look: 'main' | 'normal' | 'quiet' = 'normal'): string {
  return `${classes.button} ${classes[look]}`;
}
