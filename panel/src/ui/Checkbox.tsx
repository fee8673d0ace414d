import { type ReactNode, useId } from 'react';
import classes from './Checkbox.module.css';

interface Props {
  children?: ReactNode;
  name?: string;
  value?: string;
  isSelected?: boolean;
  isDisabled?: boolean;
  onChange?: (isSelected: boolean) => void;
}

export function Checkbox({ children, hint, ...props }: Props & { hint?: ReactNode }) {
  const id = useId();
  return (
    <div className={classes.checkbox}>
      <Control id={id} className={classes.box!} hasHint={hint !== undefined} {...props} />
      <label htmlFor={id}>{children}</label>
      {hint && (
        <small id={`${id}-hint`} className={classes.hint}>
          {hint}
        </small>
      )}
    </div>
  );
}

/** A setting that takes effect at once. */
export function Switch({ children, ...props }: Props) {
  const id = useId();
  return (
    <div className={classes.checkbox}>
      <Control id={id} className={classes.track!} role="switch" {...props} />
      <label htmlFor={id}>{children}</label>
    </div>
  );
}

function Control({
  id,
  className,
  role,
  hasHint,
  name,
  value,
  isSelected,
  isDisabled,
  onChange,
}: Props & { id: string; className: string; role?: 'switch'; hasHint?: boolean }) {
  return (
    <input
      id={id}
      type="checkbox"
      role={role}
      className={className}
      name={name}
      value={value}
      checked={isSelected}
      disabled={isDisabled}
      aria-describedby={hasHint ? `${id}-hint` : undefined}
      onChange={({ target }) => onChange?.(target.checked)}
    />
  );
}
