import './docs.css';
import { addCopyButtons } from './copy.ts';
import { movedTo } from './moved.ts';
import { addSearch } from './search.ts';
import { addTabs } from './tabs.ts';

/** What the pages are without: every one is whole without its script. */

/** Stands in the texts for the address of the service, which the browser knows. */
const ADDRESS = 'https://cloud.example';

function showAddress(): void {
  for (const code of document.querySelectorAll('pre code')) {
    const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { currentNode } = texts;
      currentNode.nodeValue = currentNode.nodeValue?.replaceAll(ADDRESS, location.origin) ?? null;
    }
  }
}

const moved = movedTo(location.pathname, location.hash);
if (moved) location.replace(moved);
showAddress();
addTabs();
addCopyButtons();
addSearch();
document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'nearest' });
