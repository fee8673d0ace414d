import type { ReactNode } from 'react';
import { Checkbox as AriaCheckbox, type CheckboxProps } from 'react-aria-components/Checkbox';
import { Switch as AriaSwitch, type SwitchProps } from 'react-aria-components/Switch';
import classes from './Checkbox.module.css';
import { Icon } from './Icon.tsx';

/** One of many that may be chosen. */
export function Checkbox({
  children,
  hint,
  ...props
}: Omit<CheckboxProps, 'children' | 'className' | 'style'> & { children?: ReactNode; hint?: ReactNode }) {
  return (
    <AriaCheckbox {...props} className={classes.checkbox!}>
      {({ isSelected, isIndeterminate }) => (
        <>
          <span className={classes.box} aria-hidden="true">
            {isIndeterminate ? <i className={classes.dash} /> : isSelected && <Icon name="check" size={12} />}
          </span>
          {(children || hint) && (
            <span>
              {children}
              {hint && <small className={classes.hint}>{hint}</small>}
            </span>
          )}
        </>
      )}
    </AriaCheckbox>
  );
}

/** On or off, at once. */
export function Switch({
  children,
  ...props
}: Omit<SwitchProps, 'children' | 'className' | 'style'> & { children: ReactNode }) {
  return (
    <AriaSwitch {...props} className={classes.checkbox!}>
      <span className={classes.track} aria-hidden="true" />
      {children}
    </AriaSwitch>
  );
}
