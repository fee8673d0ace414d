const CHOSEN = 'vauban_docs_tab';

/** Turns the sample calls of an operation into tabs. The reader's choice is remembered in this browser. */
export function addTabs(): void {
  for (const box of document.querySelectorAll<HTMLElement>('.tabs')) {
    const panels = [...box.querySelectorAll<HTMLElement>('[data-tab]')];
    const list = document.createElement('div');
    list.setAttribute('role', 'tablist');
    list.setAttribute('aria-label', 'How to call it');
    const tabs = panels.map((panel) => tabOf(panel));
    const choose = (index: number) => {
      for (const [at, tab] of tabs.entries()) {
        tab.setAttribute('aria-selected', String(at === index));
        tab.tabIndex = at === index ? 0 : -1;
        panels[at]!.hidden = at !== index;
      }
    };
    const chooseByHand = (index: number) => {
      choose(index);
      tabs[index]!.focus();
      remember(panels[index]!.dataset.tab!);
    };
    for (const [index, tab] of tabs.entries()) {
      tab.addEventListener('click', () => chooseByHand(index));
      tab.addEventListener('keydown', ({ key }) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
        if (step) chooseByHand((index + step + tabs.length) % tabs.length);
      });
    }
    list.append(...tabs);
    box.prepend(list);
    const before = panels.findIndex(({ dataset }) => dataset.tab === remembered());
    choose(Math.max(before, 0));
  }
}

function tabOf(panel: HTMLElement): HTMLButtonElement {
  const heading = panel.querySelector('h3')!;
  const tab = Object.assign(document.createElement('button'), {
    type: 'button',
    textContent: heading.textContent,
  });
  tab.id = `tab-${panel.dataset.tab}`;
  panel.id = `panel-${panel.dataset.tab}`;
  tab.setAttribute('role', 'tab');
  tab.setAttribute('aria-controls', panel.id);
  panel.setAttribute('role', 'tabpanel');
  panel.setAttribute('aria-labelledby', tab.id);
  heading.remove();
  return tab;
}

/** A browser may forbid storage; then the first tab is chosen. */
function remembered(): string | null {
  try {
    return localStorage.getItem(CHOSEN);
  } catch {
    return null;
  }
}

function remember(tab: string): void {
  try {
    localStorage.setItem(CHOSEN, tab);
  } catch {
    // The choice applies to this page only.
  }
}
