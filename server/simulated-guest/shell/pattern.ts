import { RE2JS } from 're2js';

/** What a user typed as a pattern is matched in time linear to the text: no pattern holds the service up. */
export interface Pattern {
  found(text: string): boolean;
  /** Replaces the first match, or all of them. */
  replaced(text: string, by: string, all: boolean): string;
  /** The parts of the text that match. */
  matches(text: string): string[];
}

/** Of a longer one the compiled form is large. */
const MAX_PATTERN = 1000;

/** A regular expression, or undefined when it is not one. */
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

/** Characters that mean something in a regular expression, made plain. */
export function plain(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** A wildcard pattern as the source of a regular expression. */
export function globSource(pattern: string): string {
  return plain(pattern).replaceAll('\\*', '[^/]*').replaceAll('\\?', '[^/]');
}
