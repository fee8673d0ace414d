import { type KeyboardEvent, useId, useMemo, useState } from 'react';
import { Dialog as AriaDialog } from 'react-aria-components/Dialog';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { defineTexts, useTexts } from '../texts.ts';
import { Icon, type IconName } from '../ui/Icon.tsx';
import classes from './Palette.module.css';
import { shellTexts } from './shell-texts.ts';

const texts = defineTexts(
  { none: 'Nothing found', found: 'Found' },
  { none: 'Nichts gefunden', found: 'Gefunden' },
);

/** Something to go to, or to do. */
export interface Find {
  id: string;
  icon: IconName;
  label: string;
  /** Also found by: addresses and the like. */
  more?: string;
  kind: string;
  /** Found by the service itself: shown whatever its words are. */
  isFound?: boolean;
  go: () => void;
}

/** As many as are taken in at a glance. */
const SHOWN = 9;

interface Props {
  /** All that there is to go to, for what is typed. */
  useFinds: (typed: string) => Find[];
  onClose: () => void;
}

/** Goes to a machine, an address, a page or an action by a few letters. */
export function Palette({ useFinds, onClose }: Props) {
  const t = useTexts(texts);
  const shell = useTexts(shellTexts);
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const list = useId();
  const all = useFinds(typed);
  const found = useMemo(() => search(all, typed).slice(0, SHOWN), [all, typed]);
  const chosen = Math.min(at, found.length - 1);
  const take = (find: Find | undefined) => {
    if (!find) return;
    onClose();
    find.go();
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setAt((chosen + step + found.length) % Math.max(found.length, 1));
    else if (event.key === 'Enter') take(found[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <ModalOverlay
      className={classes.overlay!}
      isOpen
      onOpenChange={(open) => open || onClose()}
      isDismissable
    >
      <Modal className={classes.modal!}>
        <AriaDialog aria-label={shell.find} className={classes.dialog!}>
          <input
            className={classes.input}
            // biome-ignore lint/a11y/noAutofocus: it was opened to type.
            autoFocus
            role="combobox"
            aria-expanded="true"
            aria-controls={list}
            aria-activedescendant={found[chosen] && `${list}-${chosen}`}
            aria-label={shell.find}
            placeholder={shell.find}
            value={typed}
            onChange={({ target }) => {
              setTyped(target.value);
              setAt(0);
            }}
            onKeyDown={press}
          />
          <div id={list} role="listbox" aria-label={t.found} className={classes.list}>
            {found.map((find, index) => (
              // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field, which names the chosen one.
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field takes the keys.
              <div
                key={find.id}
                id={`${list}-${index}`}
                role="option"
                aria-selected={index === chosen}
                className={classes.option}
                onPointerMove={() => setAt(index)}
                onClick={() => take(find)}
              >
                <Icon name={find.icon} />
                <span className={classes.label}>{find.label}</span>
                <span className={classes.kind}>{find.more || find.kind}</span>
              </div>
            ))}
          </div>
          {found.length === 0 && <p className={classes.none}>{t.none}</p>}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

/** Letters that no two ids have in common by chance; fewer would find every machine. */
const ID_LETTERS = 6;

/** Every word typed is somewhere in it; what begins with the first comes first. */
function search(all: Find[], typed: string): Find[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const textOf = ({ label, more = '' }: Find) => `${label} ${more}`.toLowerCase();
  const has = (find: Find, word: string) =>
    textOf(find).includes(word) || (word.length >= ID_LETTERS && find.id.includes(word));
  return all
    .filter((find) => find.isFound || words.every((word) => has(find, word)))
    .toSorted(
      (a, b) => Number(textOf(b).startsWith(words[0] ?? '')) - Number(textOf(a).startsWith(words[0] ?? '')),
    );
}
