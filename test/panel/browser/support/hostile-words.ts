import type { Words } from './world.ts';

/**
 * Texts that would run a script, or deceive, if a page took any of them for more than a text: by every way into markup,
 * into an attribute, into a script, into an address, into a template, and by letters that are not seen.
 */
export const HOSTILE = [
  '<img src=x onerror=__xss(1)>',
  '"><svg onload=__xss(2)>',
  "'><script>__xss(3)</script>",
  '</title></textarea><script>__xss(4)</script>',
  '<iframe srcdoc="<script>parent.__xss(5)</script>">',
  '" autofocus onfocus=__xss(6) x="',
  'javascript:__xss(7)//',
  '<a href="javascript:__xss(8)">go</a>',
  "{{constructor.constructor('__xss(9)')()}}",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the attack
  '${__xss(10)}`;__xss(10)//',
  "<style>@import '//evil.example/11'</style>",
  '<math><mtext><img src=x onerror=__xss(12)></math>',
  '--><!-- <b>13</b> ]]>',
  '&lt;img src=x onerror=__xss(14)&gt; &#60;',
  '%3Cimg%20src=x%20onerror=__xss(15)%3E',
];
/** Letters that are not seen and that turn the direction; where the service takes them, they are shown as they are. */
export const UNSEEN = 'a\u200bb\u2066c\u2069d';

/** Names everything by them. A text that has room for more than one has as many as fit. */
export const HOSTILE_WORDS: Words = {
  one(_plain, most) {
    const joined = HOSTILE.reduce(
      (all, next) => (all.length + next.length < most ? `${all}${next} ` : all),
      '',
    );
    return joined.trim();
  },
  several: () => HOSTILE,
};
