// The part of transit-js that the tests use as a peer: it brings no types of its own.

declare module 'transit-js' {
  export type Form = 'json' | 'json-verbose';

  export interface TransitMap {
    forEach(visit: (value: unknown, key: unknown) => void): void;
  }

  interface Transit {
    reader(form: Form): { read(text: string): unknown };
    writer(form: Form): { write(value: unknown): string };
    keyword(name: string): unknown;
    symbol(name: string): unknown;
    uuid(text: string): unknown;
    uri(text: string): unknown;
    integer(text: string): unknown;
    bigInt(text: string): unknown;
    bigDec(text: string): unknown;
    binary(base64: string): unknown;
    set(items: readonly unknown[]): unknown;
    list(items: readonly unknown[]): unknown;
    map(keysAndValues: readonly unknown[]): unknown;
    tagged(tag: string, value: unknown): unknown;
    link(value: object): unknown;
    quoted(value: unknown): unknown;
    isMap(value: unknown): value is TransitMap;
    isKeyword(value: unknown): boolean;
    isInteger(value: unknown): boolean;
    isTaggedValue(value: unknown): value is { readonly tag: string; readonly rep: unknown };
  }

  const transit: Transit;
  export default transit;
}
