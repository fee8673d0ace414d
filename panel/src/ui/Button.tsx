import type { MouseEvent, ReactNode, Ref } from 'react';
import classes from './Button.module.css';
import { Icon, type IconName } from './Icon.tsx';

export interface Props {
  children?: ReactNode;
  /**
   * `main` at most once per page; `danger` for actions that cannot be undone; `quiet` without a border; `round` for two
   * letters.
   */
  look?: 'main' | 'normal' | 'danger' | 'quiet' | 'round';
  icon?: IconName;
  /** In progress: the button says so and cannot be pressed again. */
  isPending?: boolean;
  isDisabled?: boolean;
  /** The accessible name; required if there is only an icon. */
  label?: string;
  onPress?: () => void;
  /** For loading in advance: the button may be about to be pressed. */
  onHoverStart?: () => void;
  type?: 'button' | 'submit';
  /** The id of the form to submit if the button is outside of it. */
  form?: string;
  autoFocus?: boolean;
  ref?: Ref<HTMLButtonElement>;
  'aria-haspopup'?: 'menu';
  'aria-expanded'?: boolean;
}

/** The browser's own button, which works with every input device. */
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
    // `disabled` would take the focus from the person who has just pressed the button.
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

/** The classes of a button, for a link that looks like one. */
export function buttonClass(look: 'main' | 'normal' | 'quiet' = 'normal'): string {
  return `${classes.button} ${classes[look]}`;
}
