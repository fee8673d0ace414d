import { RE2JS } from 're2js';

/** A pattern typed by a user. Matching takes time linear in the text, so no pattern can block the service. */
export interface Pattern {
  found(text: string): boolean;
  /** Replaces the first match, or all of them. */
  replaced(text: string, by: string, all: boolean): string;
  matches(text: string): string[];
}

/** The compiled form of a longer pattern would be large. */
const MAX_PATTERN = 1000;

/** Compiles a regular expression; undefined if it is invalid. */
export function regularExpression(source: string, ignoreCase = false): Pattern | undefined {
  if (source.length > MAX_PATTERN) return undefined;
  try {
    const compiled = RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    return {
      found: (text) => compiled.matcher(text).find(),
      replaced: (text, by, all) => {
        const matcher = compiled.matcher(text);
        return all ? matcher.replaceAll(by) : matcher.replaceFirst(by);
      },
      matches: (text) => {
        const found: string[] = [];
        const matcher = compiled.matcher(text);
        while (matcher.find()) if (matcher.group()) found.push(matcher.group()!);
        return found;
      },
    };
  } catch {
    return undefined;
  }
}

/** Escapes the special characters of regular expressions. */
export function plain(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** Converts a wildcard pattern to the source of a regular expression. */
export function globSource(pattern: string): string {
  return plain(pattern).replaceAll('\\*', '[^/]*').replaceAll('\\?', '[^/]');
}
