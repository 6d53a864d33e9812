// What a value is, wherever it comes from and goes to.

/** A value as it travels between request, engine and store. JSON values, with integers beyond 2^53 as bigint. */
export type Value = string | number | bigint | boolean | null | readonly Value[] | { readonly [key: string]: Value };

export type Values = Readonly<Record<string, Value>>;
