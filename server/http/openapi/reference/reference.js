// Search and copy buttons. The page is whole without them.
const search = document.querySelector('#search');
const found = document.querySelector('#found');
const navigation = document.querySelector('nav');

const entries = [...document.querySelectorAll('nav li')].map((item) => {
  const id = item.querySelector('a').hash.slice(1);
  const section = document.getElementById(id);
  const route = section?.querySelector('.route')?.textContent ?? '';
  return { item, section, text: `${item.textContent} ${route} ${id}`.toLowerCase() };
});
/** What is shown only while something in it is. */
const groups = [...document.querySelectorAll('nav ul, .tag')];

function filter() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const searching = words.length > 0;
  let count = 0;
  for (const { item, section, text } of entries) {
    const matches = words.every((word) => text.includes(word));
    count += matches ? 1 : 0;
    item.hidden = !matches;
    if (section?.matches('.operation, .object')) section.hidden = !matches;
  }
  for (const group of groups)
    group.hidden =
      searching &&
      !group.querySelector(group.matches('ul') ? 'li:not([hidden])' : '.operation:not([hidden])');
  for (const heading of document.querySelectorAll('nav h2')) {
    const list = heading.nextElementSibling;
    heading.hidden = searching && (!list?.matches('ul') || list.hidden);
  }
  for (const prose of document.querySelectorAll('main > .prose:not(#objects)')) prose.hidden = searching;
  const objects = document.querySelector('#objects');
  objects.hidden = searching && !objects.querySelector('.object:not([hidden])');
  navigation.classList.toggle('searching', searching);
  found.textContent = searching ? `${count} found` : '';
}

search.closest('search').hidden = false;
search.addEventListener('input', filter);
search.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    search.value = '';
    filter();
  }
  if (event.key === 'Enter')
    entries
      .find(({ item }) => !item.hidden)
      ?.item.querySelector('a')
      .click();
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.matches?.('input')) return;
  event.preventDefault();
  search.focus();
});

async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Over plain HTTP browsers have only this.
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  field.select();
  document.execCommand('copy');
  field.remove();
}

for (const block of document.querySelectorAll('pre')) {
  const button = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Copy' });
  button.className = 'copy';
  button.addEventListener('click', async () => {
    await copy(block.textContent);
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 1500);
  });
  const frame = document.createElement('div');
  frame.className = 'copyable';
  block.replaceWith(frame);
  frame.append(block, button);
}
filter();
