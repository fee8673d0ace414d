import { type ReactNode, useContext, useId, useState } from 'react';
import field from './Field.module.css';
import { FormProblems } from './form-problems.ts';
import { Icon } from './Icon.tsx';
import classes from './Select.module.css';

export interface Option<Value extends string = string> {
  value: Value;
  label: string;
  isDisabled?: boolean;
}

/** The browser's own select, which every device shows in the way that suits it best. */
export function Select<Value extends string>({
  label,
  options,
  value,
  onChange,
  hint,
  name,
  isDisabled,
  isLabelHidden,
  placeholder,
}: {
  label: string;
  options: Option<Value>[];
  value: Value | null;
  onChange: (value: Value) => void;
  hint?: ReactNode;
  name?: string;
  isDisabled?: boolean;
  /** For screen readers only, where the surroundings show what the field is. */
  isLabelHidden?: boolean;
  /** Shown until a value is chosen. */
  placeholder?: string;
}) {
  const id = useId();
  const problems = useContext(FormProblems);
  const [seen, setSeen] = useState<Record<string, string>>();
  const problem = problems === seen ? undefined : problems[name ?? ''];
  return (
    <div className={field.field}>
      <label htmlFor={id} className={isLabelHidden ? 'visually-hidden' : field.label}>
        {label}
      </label>
      <div className={classes.box}>
        <select
          id={id}
          className={classes.select}
          name={name}
          disabled={isDisabled}
          value={value ?? ''}
          aria-invalid={problem ? true : undefined}
          aria-describedby={hint || problem ? `${id}-more` : undefined}
          onChange={({ target }) => {
            setSeen(problems);
            onChange(target.value as Value);
          }}
        >
          {value === null && <option value="">{placeholder}</option>}
          {options.map((option) => (
            <option key={option.value} value={option.value} disabled={option.isDisabled}>
              {option.label}
            </option>
          ))}
        </select>
        <Icon name="chevron-down" size={14} />
      </div>
      {(hint || problem) && (
        <span id={`${id}-more`} className={problem ? field.error : field.hint}>
          {problem || hint}
        </span>
      )}
    </div>
  );
}
