import type { Components, OpenApiDocument } from '../../openapi/document.ts';

/** The kinds of components that are referred to by name. */
const KINDS = ['headers', 'parameters', 'responses', 'schemas'] as const satisfies (keyof Components)[];

/** Returns the document without shared components that nothing in it refers to. */
export function withUsedComponents(document: OpenApiDocument): OpenApiDocument {
  const text = JSON.stringify(document);
  const components = { ...document.components };
  for (const kind of KINDS) {
    const used = Object.entries(components[kind]).filter(([name]) =>
      text.includes(`"#/components/${kind}/${name}"`),
    );
    Object.assign(components, { [kind]: Object.fromEntries(used) });
  }
  const pruned = { ...document, components };
  // Components referred to only by unused ones are unused too.
  return JSON.stringify(pruned).length === text.length ? pruned : withUsedComponents(pruned);
}
