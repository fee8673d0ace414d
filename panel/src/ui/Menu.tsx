import type { ReactNode } from 'react';
import { Menu as AriaMenu, type Key, MenuItem, MenuTrigger } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { Icon, type IconName } from './Icon.tsx';
import classes from './Menu.module.css';

/** Something to choose in a menu. */
export interface Choice {
  id: string;
  label: ReactNode;
  /** What is read and typed for, where the label is no text. */
  text?: string;
  icon?: IconName;
  isDanger?: boolean;
  isDisabled?: boolean;
  /** Ticked: it is how things are now. */
  isCurrent?: boolean;
  onAction: () => void;
}

/** A button and what it opens. `trigger` is a {@link Button}. */
export function Menu({
  trigger,
  label,
  choices,
  children,
}: {
  trigger: ReactNode;
  label: string;
  choices: Choice[];
  /** Above the choices: whose menu it is. */
  children?: ReactNode;
}) {
  const act = (key: Key) => choices.find(({ id }) => id === key)?.onAction();
  return (
    <MenuTrigger>
      {trigger}
      <Popover className={classes.popover!} placement="bottom end" offset={6}>
        {children && <div className={classes.head}>{children}</div>}
        <AriaMenu
          className={classes.menu!}
          aria-label={label}
          onAction={act}
          disabledKeys={choices.filter((c) => c.isDisabled).map(({ id }) => id)}
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
    </MenuTrigger>
  );
}
