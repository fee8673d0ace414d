import classes from './Icon.module.css';
import sprite from './icons.svg';

/** The symbols of `icons.svg`. */
export type IconName =
  | 'agent'
  | 'book'
  | 'check'
  | 'chevron-down'
  | 'chevron-left'
  | 'chevron-right'
  | 'clock'
  | 'code'
  | 'copy'
  | 'cross'
  | 'disk'
  | 'download'
  | 'edit'
  | 'external'
  | 'filter'
  | 'gear'
  | 'globe'
  | 'info'
  | 'key'
  | 'list'
  | 'machine'
  | 'mail'
  | 'menu'
  | 'moon'
  | 'more'
  | 'network'
  | 'passkey'
  | 'people'
  | 'play'
  | 'plus'
  | 'power'
  | 'restart'
  | 'screen'
  | 'search'
  | 'share'
  | 'shield'
  | 'sign-out'
  | 'snapshot'
  | 'stop'
  | 'sun'
  | 'terminal'
  | 'trash'
  | 'wallet'
  | 'warning';

/** A decorative icon. Without text next to it, the element around it needs a label. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      className={classes.icon}
      width={size}
      height={size}
      viewBox="0 0 16 16"
      aria-hidden="true"
      focusable="false"
    >
      <use href={`${sprite}#${name}`} />
    </svg>
  );
}
