import type { ReactNode } from 'react';
import { Radio, RadioGroup } from 'react-aria-components/RadioGroup';
import classes from './create.module.css';

/** A radio group whose options have descriptions. */
export function RadioCards({
  label,
  name,
  value,
  onChange,
  options,
}: {
  label: string;
  name: string;
  value: string;
  onChange: (value: string) => void;
  options: { value: string; title: ReactNode; note?: ReactNode; isDisabled?: boolean }[];
}) {
  return (
    <RadioGroup className={classes.cards!} aria-label={label} name={name} value={value} onChange={onChange}>
      {options.map((option) => (
        <Radio
          key={option.value}
          value={option.value}
          isDisabled={option.isDisabled}
          className={classes.card!}
        >
          <span className={classes.cardTitle}>{option.title}</span>
          {option.note && <span className={classes.cardNote}>{option.note}</span>}
        </Radio>
      ))}
    </RadioGroup>
  );
}
