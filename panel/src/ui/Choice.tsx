import { Label } from 'react-aria-components/Label';
import { Radio, RadioGroup } from 'react-aria-components/RadioGroup';
import classes from './Choice.module.css';

/** A choice of a few options, all visible side by side. */
export function Choice<Value extends string>({
  label,
  value,
  onChange,
  options,
  isLabelShown,
}: {
  label: string;
  value: Value;
  onChange: (value: Value) => void;
  options: readonly { value: Value; label: string; isDisabled?: boolean }[];
  isLabelShown?: boolean;
}) {
  return (
    <RadioGroup
      className={classes.group!}
      orientation="horizontal"
      value={value}
      onChange={(chosen) => onChange(chosen as Value)}
      aria-label={isLabelShown ? undefined : label}
    >
      {isLabelShown && <Label className={classes.label}>{label}</Label>}
      <div className={classes.options}>
        {options.map((option) => (
          <Radio
            key={option.value}
            value={option.value}
            isDisabled={option.isDisabled}
            className={classes.option!}
          >
            {option.label}
          </Radio>
        ))}
      </div>
    </RadioGroup>
  );
}
