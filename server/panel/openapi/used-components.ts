import type { Components, OpenApiDocument } from '../../http/openapi/document.ts';

/** The kinds of components that others refer to. */
const KINDS = ['headers', 'parameters', 'responses', 'schemas'] as const satisfies (keyof Components)[];

/** The document without the shared components that nothing in it refers to. */
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
  // What only an unused one referred to is unused itself.
  return JSON.stringify(pruned).length === text.length ? pruned : withUsedComponents(pruned);
}
