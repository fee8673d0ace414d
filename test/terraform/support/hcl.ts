/** The part of Terraform's language that the documented example uses. */

/** A reference to an attribute of a resource, such as `vauban_vm.web.id`. */
export interface Reference {
  resource: string;
  attribute: string;
}

export interface Block {
  /** "resource", "vauban_vm", "web". */
  words: string[];
  body: Record<string, unknown>;
}

const TOKEN = /\s*(?:("(?:[^"\\]|\\.)*")|([\w.-]+)|([{}[\]=,()]))/y;

/** Returns the top-level blocks of a configuration in order. */
export function parse(text: string): Block[] {
  const tokens = tokensOf(text);
  const next = () => tokens.shift() ?? fail('the end');
  const expect = (token: string) => {
    const found = next();
    if (found !== token) fail(found);
  };

  function body(): Record<string, unknown> {
    const found: Record<string, unknown> = {};
    while (tokens[0] !== '}') {
      const name = next();
      if (tokens[0] === '=') {
        next();
        found[name] = value();
      } else {
        expect('{');
        found[name] = body();
        expect('}');
      }
      if (tokens[0] === ',') next();
    }
    return found;
  }

  function value(): unknown {
    const token = next();
    if (token === '{') {
      const found = body();
      expect('}');
      return found;
    }
    if (token === '[') {
      const items: unknown[] = [];
      while (tokens[0] !== ']') {
        items.push(value());
        if (tokens[0] === ',') next();
      }
      expect(']');
      return items;
    }
    if (/^["\d]|^(true|false|null)$/.test(token)) return JSON.parse(token);
    if (tokens[0] === '(') {
      next();
      const argument = value();
      expect(')');
      return { call: token, argument };
    }
    const [type, name, attribute] = token.split('.');
    return { resource: `${type}.${name}`, attribute } as Reference;
  }

  const blocks: Block[] = [];
  while (tokens.length > 0) {
    const words: string[] = [];
    while (tokens[0] !== '{') words.push(next().replaceAll('"', ''));
    expect('{');
    blocks.push({ words, body: body() });
    expect('}');
  }
  return blocks;
}

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  const source = text.trimEnd();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < source.length) {
    const found = TOKEN.exec(source);
    if (!found) fail(source);
    tokens.push(found[1] ?? found[2] ?? found[3]!);
  }
  return tokens;
}

function fail(what: string): never {
  throw new Error(`This is more of the language than the tests read, at ${what}`);
}
