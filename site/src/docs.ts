import './docs.css';
import { addCopyButtons } from './copy.ts';
import { movedTo } from './moved.ts';
import { addSearch } from './search.ts';
import { addTabs } from './tabs.ts';

/** The pages' optional behaviour: every page is complete without this script. */

/** Placeholder in the texts for the service's address, which only the browser knows. */
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
