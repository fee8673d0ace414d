import type { ReactNode } from 'react';
import { Button } from 'react-aria-components/Button';
import { FieldError } from 'react-aria-components/FieldError';
import { Label } from 'react-aria-components/Label';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { Select as AriaSelect, SelectValue } from 'react-aria-components/Select';
import { Text } from 'react-aria-components/Text';
import field from './Field.module.css';
import { Icon } from './Icon.tsx';
import menu from './Menu.module.css';
import classes from './Select.module.css';

/** One of the things to choose from. */
export interface Option<Value extends string = string> {
  value: Value;
  label: string;
  /** More about it, below. */
  hint?: ReactNode;
  isDisabled?: boolean;
}

/** One of a few. */
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
  /** Read out, and not shown: where the place says what it is. */
  isLabelHidden?: boolean;
  placeholder?: string;
}) {
  return (
    <AriaSelect
      className={field.field!}
      name={name}
      isDisabled={isDisabled}
      selectedKey={value}
      onSelectionChange={(key) => key !== null && onChange(key as Value)}
      placeholder={placeholder}
    >
      <Label className={isLabelHidden ? 'visually-hidden' : field.label}>{label}</Label>
      <Button className={classes.button!}>
        <SelectValue className={classes.value!}>
          {({ selectedText, defaultChildren }) => selectedText || defaultChildren}
        </SelectValue>
        <Icon name="chevron-down" size={14} />
      </Button>
      {hint && (
        <Text slot="description" className={field.hint}>
          {hint}
        </Text>
      )}
      <FieldError className={field.error!} />
      <Popover className={`${menu.popover} ${classes.popover}`} offset={4}>
        <ListBox className={menu.menu!}>
          {options.map((option) => (
            <ListBoxItem
              key={option.value}
              id={option.value}
              textValue={option.label}
              isDisabled={option.isDisabled}
              className={menu.item!}
            >
              {({ isSelected }) => (
                <>
                  <span className={menu.label}>
                    {option.label}
                    {option.hint && <small className={classes.hint}>{option.hint}</small>}
                  </span>
                  {isSelected && <Icon name="check" />}
                </>
              )}
            </ListBoxItem>
          ))}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}
