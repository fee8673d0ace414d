import type { ReactNode } from 'react';
import classes from './Choices.module.css';

/** An option with a description. */
export interface BigChoice<Value extends string> {
  value: Value;
  label: ReactNode;
  hint?: ReactNode;
  aside?: ReactNode;
  isDisabled?: boolean;
}

/** A choice of a few options to compare, all visible. */
export function Choices<Value extends string>({
  label,
  name,
  choices,
  value,
  onChange,
}: {
  label: string;
  name: string;
  choices: BigChoice<Value>[];
  value: Value | null;
  onChange: (value: Value) => void;
}) {
  return (
    <fieldset className={classes.set}>
      <legend>{label}</legend>
      <div className={classes.choices}>
        {choices.map((choice) => (
          <label key={choice.value} className={classes.choice}>
            <input
              type="radio"
              name={name}
              value={choice.value}
              checked={choice.value === value}
              disabled={choice.isDisabled}
              onChange={() => onChange(choice.value)}
            />
            <span className={classes.body}>
              <span className={classes.label}>{choice.label}</span>
              {choice.hint && <small>{choice.hint}</small>}
            </span>
            {choice.aside}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
