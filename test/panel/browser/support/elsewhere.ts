// URLs of other sites that a browser understands or that a careless check accepts. `test/panel/next.test.ts` checks which
// of them the panel treats as one of its own paths.

/** Accepted because they look like paths; following one of them in the router must not leave the site. */
export const ACCEPTED_ELSEWHERE = ['/\t/evil.example', '/..//evil.example', '/../../\\evil.example'];

export const REFUSED_ELSEWHERE = [
  '//evil.example',
  'https://evil.example/',
  '/\\evil.example',
  '\\\\evil.example',
  '@evil.example',
  '.evil.example',
  'javascript:__xss(1)',
  ' javascript:__xss(2)',
  'data:text/html,<script>__xss(3)</script>',
];
