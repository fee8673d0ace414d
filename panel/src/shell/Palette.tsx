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

/** A page to open or an action to run. */
export interface Find {
  id: string;
  icon: IconName;
  label: string;
  /** Other text to search, such as addresses. */
  more?: string;
  kind: string;
  /** Found by the service; shown even if its words do not match. */
  isFound?: boolean;
  go: () => void;
}

/** The number of results shown, few enough to take in at a glance. */
const SHOWN = 9;

interface Props {
  /** Returns everything that may match the typed text; the palette filters it. */
  useFinds: (typed: string) => Find[];
  onClose: () => void;
}

/** Opens a machine, an address, a page or an action by a few letters. */
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

/** Long enough that two ids do not share this many letters by chance. Fewer would match every machine. */
const ID_LETTERS = 6;

/** Returns the entries that contain all typed words; those that begin with the first word come first. */
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
