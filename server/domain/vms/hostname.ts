/** RFC 1123 host names: labels of letters, digits and hyphens, at most 253 characters. */
export const HOSTNAME_PATTERN =
  '^(?=.{1,253}$)[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(\\.[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$';
