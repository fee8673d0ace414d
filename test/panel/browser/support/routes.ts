import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '../../../support/source.ts';

/** The fields of a route that are read here. */
interface Route {
  options: { path?: string; getParentRoute?: () => unknown };
  children?: Route[] | Record<string, Route>;
}

/** A page: its path pattern, and whether it requires a sign-in. */
export interface RoutePage {
  pattern: string;
  isInside: boolean;
}

/** Returns every page of the panel's routes, from the files that define them. */
export async function routePages(): Promise<RoutePage[]> {
  // A computed path, which the compiler does not follow: the routes import files that are compiled with another
  // configuration.
  const load = (file: string) => import(join(REPOSITORY, file));
  const { frontRoute, shellRoute } = await load('panel/src/shell/routes.ts');
  const files = globSync('panel/src/{pages,operator}/**/routes.ts', { cwd: REPOSITORY });
  const modules: Record<string, Route[]>[] = await Promise.all(files.map(load));
  const top = modules.flatMap((module) => Object.values(module).flat());
  const pages = top.flatMap((route) => {
    const parent = route.options.getParentRoute?.();
    assert.ok(parent === frontRoute || parent === shellRoute, 'a route is below the front or the shell');
    return leaves(route, '').map((pattern) => ({ pattern, isInside: parent === shellRoute }));
  });
  assert.ok(pages.length > 0);
  return pages.sort((a, b) => a.pattern.localeCompare(b.pattern));
}

function leaves({ options: { path = '' }, children = [] }: Route, above: string): string[] {
  const own = `${above}/${path}`.replace(/\/+/g, '/');
  const below = Object.values(children);
  if (below.length > 0) return below.flatMap((route) => leaves(route, own));
  return [own.length > 1 ? own.replace(/\/$/, '') : own];
}
