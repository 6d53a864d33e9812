// Where the interpreter of Clojure is looked for besides the project; in a built application `standalone/interpreter.ts` stands in.

/** Where this runtime is installed. */
export function interpreterFolder(): string {
  return import.meta.dirname;
}
