import type { ReactNode } from 'react';
import { FieldError } from 'react-aria-components/FieldError';
import { Input } from 'react-aria-components/Input';
import { Label } from 'react-aria-components/Label';
import { Text } from 'react-aria-components/Text';
import { TextArea } from 'react-aria-components/TextArea';
import { TextField, type TextFieldProps } from 'react-aria-components/TextField';
import classes from './Field.module.css';

export interface Props extends Omit<TextFieldProps, 'className' | 'style' | 'children'> {
  label: string;
  /** What helps to fill it in, below it. */
  hint?: ReactNode;
  placeholder?: string;
  /** Addresses, keys, codes and money: letters of one width. */
  mono?: boolean;
  /** More than a line. */
  rows?: number;
  /** Stands in it, behind what is typed: a unit, a button. */
  suffix?: ReactNode;
}

/** A field for text. What a form's reply says of `name` is shown below it. */
export function Field({ label, hint, placeholder, mono, rows, suffix, ...props }: Props) {
  const look = `${classes.input} ${mono ? classes.mono : ''}`;
  return (
    <TextField {...props} className={classes.field!}>
      <Label className={classes.label}>{label}</Label>
      <div className={classes.box}>
        {rows ? (
          <TextArea className={`${look} ${classes.area}`} rows={rows} placeholder={placeholder} />
        ) : (
          <Input className={look} placeholder={placeholder} />
        )}
        {suffix && <span className={classes.suffix}>{suffix}</span>}
      </div>
      {hint && (
        <Text slot="description" className={classes.hint}>
          {hint}
        </Text>
      )}
      <FieldError className={classes.error!} />
    </TextField>
  );
}
