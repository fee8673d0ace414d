import { type ChangeEvent, type HTMLInputTypeAttribute, type ReactNode, useId } from 'react';
import classes from './Field.module.css';
import { useProblem } from './form-problems.ts';

export interface Props {
  label: string;
  name?: string;
  value?: string;
  defaultValue?: string;
  onChange?: (value: string) => void;
  type?: HTMLInputTypeAttribute;
  hint?: ReactNode;
  placeholder?: string;
  /** A monospaced font, for addresses, keys, codes and money. */
  mono?: boolean;
  /** The number of lines, if more than one. */
  rows?: number;
  /** Shown inside the field after the text: a unit or a button. */
  suffix?: ReactNode;
  isRequired?: boolean;
  isDisabled?: boolean;
  isReadOnly?: boolean;
  autoFocus?: boolean;
  autoComplete?: string;
  inputMode?: 'text' | 'numeric' | 'decimal' | 'email' | 'search';
  maxLength?: number;
  minLength?: number;
  /** Returns the problem with a value before it is sent, if any. */
  validate?: (value: string) => string | null | undefined;
}

/** A text field. Shows the problem that the form's reply reports for `name`. */
export function Field({ label, hint, mono, rows, suffix, onChange, validate, ...given }: Props) {
  const { name, isRequired, isDisabled, isReadOnly, ...props } = given;
  const id = useId();
  const { problem, attributes, touched } = useProblem(name, props.value, validate);
  const all = {
    ...props,
    ...attributes,
    id,
    required: isRequired,
    disabled: isDisabled,
    readOnly: isReadOnly,
    'aria-describedby': hint || problem ? `${id}-more` : undefined,
    onChange: ({ target }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => {
      touched();
      onChange?.(target.value);
    },
  };
  const look = `${classes.input} ${mono ? classes.mono : ''}`;
  return (
    <div className={classes.field}>
      <label htmlFor={id} className={classes.label}>
        {label}
      </label>
      <div className={classes.box}>
        {rows ? (
          <textarea {...all} className={`${look} ${classes.area}`} rows={rows} />
        ) : (
          <input {...all} className={look} />
        )}
        {suffix && <span className={classes.suffix}>{suffix}</span>}
      </div>
      {(hint || problem) && (
        <span id={`${id}-more`} className={classes.more}>
          {problem && <span className={classes.error}>{problem}</span>}
          {hint && <span className={classes.hint}>{hint}</span>}
        </span>
      )}
    </div>
  );
}
