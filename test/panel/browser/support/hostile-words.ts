import type { Words } from './world.ts';

/**
 * Texts that would run a script or deceive if a page treated them as more than text. They try to break into markup,
 * attributes, scripts, URLs and templates, and use invisible characters.
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
/**
 * Invisible characters and ones that change the text direction; wherever the service accepts them, they are shown
 * escaped.
 */
export const UNSEEN = 'a\u200bb\u2066c\u2069d';

/** Uses these texts as names. A name with space for several contains as many as fit. */
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
