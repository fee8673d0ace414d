import { type Found, search } from './ranking.ts';

/** Starts the search field at the top of every page. Its index is loaded when the field is first focused. */
export function addSearch(): void {
  const box = document.querySelector<HTMLElement>('.search')!;
  const field = box.querySelector('input')!;
  const list = box.querySelector<HTMLUListElement>('#found')!;
  const count = box.querySelector<HTMLElement>('#count')!;
  let index: Promise<Found[]> | undefined;
  let chosen = -1;

  const load = () => (index ??= fetch(box.dataset.index!).then((reply) => reply.json() as Promise<Found[]>));
  const choose = (at: number) => {
    chosen = at;
    for (const [n, item] of [...list.children].entries())
      item.setAttribute('aria-selected', String(n === at));
    const item = list.children[at];
    item?.scrollIntoView({ block: 'nearest' });
    if (item) field.setAttribute('aria-activedescendant', item.id);
    else field.removeAttribute('aria-activedescendant');
  };
  const close = () => {
    list.hidden = true;
    field.setAttribute('aria-expanded', 'false');
    choose(-1);
  };
  const show = async () => {
    const { value } = field;
    const found = search(await load(), value);
    // Something else was typed while the index was loading.
    if (value !== field.value) return;
    list.replaceChildren(...found.map(itemOf));
    list.hidden = found.length === 0;
    field.setAttribute('aria-expanded', String(found.length > 0));
    count.textContent = value.trim() === '' ? '' : `${found.length} found`;
    choose(found.length > 0 ? 0 : -1);
  };

  box.hidden = false;
  field.addEventListener('focus', load, { once: true });
  field.addEventListener('input', show);
  field.addEventListener('keydown', (event) => {
    const { length } = list.children;
    if (event.key === 'Escape') {
      field.value = '';
      close();
    } else if (event.key === 'Enter') list.children[chosen]?.querySelector('a')?.click();
    else if (length > 0 && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      event.preventDefault();
      choose((chosen + (event.key === 'ArrowDown' ? 1 : -1) + length) % length);
    }
  });
  box.addEventListener('focusout', ({ relatedTarget }) => {
    if (!box.contains(relatedTarget as Node | null)) close();
  });
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea');
    if (isTyping || !(event.key === '/' || (event.key === 'k' && (event.ctrlKey || event.metaKey)))) return;
    event.preventDefault();
    field.focus();
  });
}

function itemOf([title, kind, url]: Found, at: number): HTMLLIElement {
  const item = document.createElement('li');
  item.id = `found-${at}`;
  item.setAttribute('role', 'option');
  const link = Object.assign(document.createElement('a'), { href: url, tabIndex: -1 });
  const label = Object.assign(document.createElement('span'), { textContent: kind, className: 'kind' });
  link.append(label, title);
  item.append(link);
  return item;
}
