import type { ReactNode } from 'react';
import { Menu as AriaMenu, type Key, MenuItem, MenuTrigger } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { Icon } from '../Icon.tsx';
import type { Props } from '../Menu.tsx';
import classes from './MenuList.module.css';

/** A {@link Menu} that was asked for, open at first. */
export function MenuList({
  trigger,
  label,
  choices,
  children,
  onOpenChange,
}: Props & { onOpenChange?: (open: boolean) => void }): ReactNode {
  const act = (key: Key) => choices.find(({ id }) => id === key)?.onAction();
  const disabled = choices.filter(({ isDisabled }) => isDisabled).map(({ id }) => id);
  return (
    <MenuTrigger defaultOpen onOpenChange={onOpenChange}>
      {trigger}
      <Popover className={classes.popover!} placement="bottom end" offset={6}>
        {children && <div className={classes.head}>{children}</div>}
        <AriaMenu className={classes.menu!} aria-label={label} onAction={act} disabledKeys={disabled}>
          {choices.map(({ id, label, text, icon, isDanger, isCurrent }) => (
            <MenuItem
              key={id}
              id={id}
              textValue={text ?? (typeof label === 'string' ? label : id)}
              className={`${classes.item} ${isDanger ? classes.danger : ''}`}
            >
              {icon && <Icon name={icon} />}
              <span className={classes.label}>{label}</span>
              {isCurrent && <Icon name="check" />}
            </MenuItem>
          ))}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}
