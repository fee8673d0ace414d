// Prints as JSON the places in a file's exported types where a value may be anything. Must run where the TypeScript
// compiler is installed: node any-types.mjs <file>
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const ts = createRequire(join(process.cwd(), 'package.json'))('typescript');
const file = resolve(process.argv[2]);
const { options } = ts.getParsedCommandLineOfConfigFile('tsconfig.json', {}, { ...ts.sys });
const program = ts.createProgram([file], options);
const checker = program.getTypeChecker();
/** Below this depth a type repeats itself. */
const DEEPEST = 16;
const seen = new Set();
const found = [];

const isForeign = ({ aliasSymbol, symbol }) =>
  (aliasSymbol ?? symbol)?.declarations?.every((one) =>
    one.getSourceFile().fileName.includes('node_modules'),
  );

function visit(type, place) {
  if (type.flags & ts.TypeFlags.Any) found.push(place.join('.'));
  if (seen.has(type) || place.length > DEEPEST) return;
  seen.add(type);
  if (type.isUnionOrIntersection()) for (const part of type.types) visit(part, place);
  for (const given of type.aliasTypeArguments ?? []) visit(given, [...place, '<>']);
  if (type.objectFlags & ts.ObjectFlags.Reference)
    for (const given of checker.getTypeArguments(type)) visit(given, [...place, '[]']);
  if (isForeign(type)) return;
  for (const signature of type.getCallSignatures()) {
    for (const given of signature.getParameters())
      visit(checker.getTypeOfSymbol(given), [...place, given.name]);
    visit(signature.getReturnType(), [...place, '()']);
  }
  for (const property of type.getProperties())
    visit(checker.getTypeOfSymbol(property), [...place, property.name]);
  for (const index of checker.getIndexInfosOfType(type)) visit(index.type, [...place, '[]']);
}

for (const exported of checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)))) {
  const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
  if (symbol.flags & ts.SymbolFlags.Type) visit(checker.getDeclaredTypeOfSymbol(symbol), [symbol.name]);
  if (symbol.flags & ts.SymbolFlags.Function) visit(checker.getTypeOfSymbol(symbol), [symbol.name]);
  else if (symbol.flags & ts.SymbolFlags.Variable) visit(checker.getTypeOfSymbol(symbol), [symbol.name]);
}
console.log(JSON.stringify(found));
