import type { RefObject } from 'react';
import { Menu as AriaMenu, type Key, MenuItem } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { Icon } from '../Icon.tsx';
import type { Props } from '../Menu.tsx';
import classes from './MenuList.module.css';

interface OpenProps extends Omit<Props, 'trigger'> {
  button: RefObject<HTMLButtonElement | null>;
  onClose: () => void;
}

/** The list of an open {@link Menu}. */
export function MenuList({ button, label, choices, children, onClose }: OpenProps) {
  const disabled = choices.filter(({ isDisabled }) => isDisabled).map(({ id }) => id);
  const act = (key: Key) => {
    onClose();
    choices.find(({ id }) => id === key)?.onAction();
  };
  return (
    <Popover
      className={classes.popover!}
      triggerRef={button}
      isOpen
      onOpenChange={(open) => open || onClose()}
      placement="bottom end"
      offset={6}
    >
      {children && <div className={classes.head}>{children}</div>}
      <AriaMenu
        className={classes.menu!}
        aria-label={label}
        onAction={act}
        disabledKeys={disabled}
        autoFocus="first"
      >
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
  );
}
