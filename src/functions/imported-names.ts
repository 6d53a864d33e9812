// What the text of a module imports.

/** At the beginning of a line, with nothing but names before `from`; or in a call: what merely reads like an import inside a text is left alone. */
export const imports = /(^[ \t]*(?:import|(?:import|export)\b[\w\s$,{}*]*?\bfrom)\s*|\bimport\(\s*)(['"])(?<name>[^'"\n]+)\2/gm;

export function importedNames(text: string): readonly string[] {
  return [...text.matchAll(imports)].flatMap(({ groups }) => groups?.['name'] ?? []);
}
