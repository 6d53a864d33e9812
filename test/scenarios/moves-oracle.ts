// A forest in memory, written from the specification: what moves, creates, changes, deletes and links make of it, and what each is answered.

export const model = `module m
entity Area { id Int @id, total Int @expr(sum(AreaShelf.Shelf.load)), shelves Int @expr(count(AreaShelf)) }
entity Shelf { id Int @id, size Int, load Int @expr(size + sum(ShelfBook.Book.size)), near Int @optional @expr(AreaShelf.Area.id) }
entity Book { id Int @id, size Int, code String @unique @optional }
entity Node { id Int @id, size Int, inner Int @expr(sum(Below.lower.size)), above Int @optional @expr(Below.upper.id) }
entity Leaf { id Int @id, size Int }
entity Tag { id Int @id, books Int @expr(count(BookTag)), weight Int @expr(sum(BookTag.Book.size)) }
entity Ref { id Int @id, book String @ref(Book.code) }
relationship AreaShelf contains(Area, Shelf)
relationship ShelfBook contains(Shelf, Book)
relationship Below contains(Node @as upper, Node @as lower)
relationship NodeLeaf contains(Node, Leaf)
relationship BookTag between(Book, Tag)
relationship LeafTag between(Leaf, Tag)
`;

export const types = ['Area', 'Shelf', 'Book', 'Node', 'Leaf', 'Tag', 'Ref', 'BookTag', 'LeafTag'] as const;
export type Type = 'Area' | 'Shelf' | 'Book' | 'Node' | 'Leaf';

const relationships: Readonly<Record<Type, string>> = { Area: '', Shelf: 'AreaShelf', Book: 'ShelfBook', Node: 'Below', Leaf: 'NodeLeaf' };

/** From the root down. */
export type Place = readonly { readonly type: Type; readonly id: number }[];

export type Step =
  | { readonly kind: 'create'; readonly at: Place; readonly size: number }
  | { readonly kind: 'change'; readonly at: Place; readonly size: number }
  /** To the top where `to` is empty. */
  | { readonly kind: 'move'; readonly at: Place; readonly to: Place; readonly size: number | undefined }
  | { readonly kind: 'delete'; readonly at: Place }
  | { readonly kind: 'link'; readonly at: Place; readonly tag: number }
  | { readonly kind: 'refer'; readonly at: Place; readonly id: number };

interface Row {
  readonly type: Type;
  readonly id: number;
  parent: Row | undefined;
  size: number;
  readonly code: string | null;
}

export function pathOf(place: Place): string {
  return place
    .map(({ type, id }, index) => (index === 0 ? `path://m$${type}/${id}` : `m$${relationships[type]}/m$${type}/${id}`))
    .join('/');
}

export function addressOf(place: Place): string {
  return place.map(({ type, id }, index) => (index === 0 ? `/m/${type}/${id}` : `/${relationships[type]}/${type}/${id}`)).join('');
}

export class Forest {
  #rows: Row[] = [];
  #links: { readonly type: 'BookTag' | 'LeafTag'; readonly row: Row; readonly tag: number }[] = [];
  #refs: { readonly id: number; readonly row: Row }[] = [];
  #made = 0;
  readonly #tags: readonly number[];

  constructor(tags: readonly number[]) {
    this.#tags = tags;
  }

  /** The status of the answer. */
  apply(step: Step): number {
    switch (step.kind) {
      case 'create':
        return this.#create(step.at, step.size);
      case 'change':
        return this.#with(step.at, (row) => {
          row.size = step.size;
          return 200;
        });
      case 'move':
        return this.#with(step.at, (row) => this.#move(row, step.to, step.size));
      case 'delete':
        return this.#with(step.at, (row) => this.#delete(row));
      case 'link':
        return this.#link(step.at, step.tag);
      case 'refer':
        return this.#refer(step.at, step.id);
    }
  }

  /** The code that the next book gets. */
  get code(): string {
    return `c${this.#made + 1}`;
  }

  /** A book's code as it is stored, or one that nothing has. */
  codeOf(place: Place): string {
    return this.#find(place)?.code ?? 'none';
  }

  instances(): Readonly<Record<(typeof types)[number], readonly object[]>> {
    const of = (type: Type) => this.#rows.filter((row) => row.type === type);
    const path = (row: Row) => (row.parent === undefined ? null : pathOf(placeOf(row)));
    const size = (rows: readonly Row[]) => rows.reduce((sum, row) => sum + row.size, 0);
    const load = (row: Row) => row.size + size(this.#below(row, 'Book'));
    const ends = (type: 'BookTag' | 'LeafTag', end: string) =>
      this.#links.filter((each) => each.type === type).map(({ row, tag }) => ({ [end]: pathOf(placeOf(row)), Tag: tag }));
    return {
      Area: of('Area').map((row) => ({
        id: row.id,
        total: this.#below(row, 'Shelf').reduce((sum, each) => sum + load(each), 0),
        shelves: this.#below(row, 'Shelf').length,
      })),
      Shelf: of('Shelf').map((row) => ({
        id: row.id,
        size: row.size,
        load: load(row),
        near: row.parent?.id ?? null,
        __path__: path(row),
      })),
      Book: of('Book').map((row) => ({ id: row.id, size: row.size, code: row.code, __path__: path(row) })),
      Node: of('Node').map((row) => ({
        id: row.id,
        size: row.size,
        inner: size(this.#below(row, 'Node')),
        above: row.parent?.id ?? null,
        __path__: path(row),
      })),
      Leaf: of('Leaf').map((row) => ({ id: row.id, size: row.size, __path__: path(row) })),
      Tag: this.#tags.map((id) => {
        const books = this.#links.filter(({ type, tag }) => type === 'BookTag' && tag === id).map(({ row }) => row);
        return { id, books: books.length, weight: size(books) };
      }),
      Ref: this.#refs.map(({ id, row }) => ({ id, book: row.code })),
      BookTag: ends('BookTag', 'Book'),
      LeafTag: ends('LeafTag', 'Leaf'),
    };
  }

  #find(place: Place): Row | undefined {
    let found: Row | undefined;
    for (const [index, { type, id }] of place.entries()) {
      const parent = found;
      if (index > 0 && parent === undefined) return undefined;
      found = this.#rows.find((row) => row.type === type && row.id === id && row.parent === parent);
    }
    return found;
  }

  /** As an address leads there: its first step is the one at the top, else the only one with this identifier. */
  #reach(place: Place): Row | 404 | 409 {
    const [first, ...rest] = place;
    const same = this.#rows.filter((row) => row.type === first?.type && row.id === first.id);
    let found: Row | 404 | 409 = same.find((row) => row.parent === undefined) ?? (same.length > 1 ? 409 : (same[0] ?? 404));
    for (const { type, id } of rest) {
      if (typeof found === 'number') return found;
      const parent = found;
      found = this.#rows.find((row) => row.type === type && row.id === id && row.parent === parent) ?? 404;
    }
    return found;
  }

  #below(row: Row, type: Type): readonly Row[] {
    return this.#rows.filter((each) => each.parent === row && each.type === type);
  }

  #with(at: Place, work: (row: Row) => number): number {
    const row = this.#reach(at);
    return typeof row === 'number' ? row : work(row);
  }

  #create(at: Place, size: number): number {
    const last = at.at(-1);
    if (last === undefined) throw new Error('nothing to create');
    const parent = at.length === 1 ? undefined : this.#reach(at.slice(0, -1));
    if (typeof parent === 'number') return parent;
    if (this.#rows.some((row) => row.type === last.type && row.id === last.id && row.parent === parent)) return 409;
    const { code } = this;
    this.#made += 1;
    this.#rows.push({ ...last, parent, size, code: last.type === 'Book' ? code : null });
    return 201;
  }

  #move(row: Row, to: Place, size: number | undefined): number {
    const parent = this.#find(to);
    const own = pathOf(placeOf(row));
    if (to.length > 0 && (`${pathOf(to)}/`.startsWith(`${own}/`) || parent === undefined)) return 422;
    const isThere = row.parent === parent;
    if (!isThere && this.#rows.some((each) => each.type === row.type && each.id === row.id && each.parent === parent)) return 409;
    row.parent = parent;
    if (size !== undefined) row.size = size;
    return 200;
  }

  #delete(row: Row): number {
    const gone = new Set([row]);
    for (const each of gone) for (const other of this.#rows) if (other.parent === each) gone.add(other);
    if (this.#refs.some((each) => gone.has(each.row))) return 409;
    this.#rows = this.#rows.filter((each) => !gone.has(each));
    this.#links = this.#links.filter((each) => !gone.has(each.row));
    return 200;
  }

  #link(at: Place, tag: number): number {
    const row = this.#find(at);
    if (row === undefined) return 422;
    if (this.#links.some((each) => each.row === row && each.tag === tag)) return 409;
    this.#links.push({ type: row.type === 'Book' ? 'BookTag' : 'LeafTag', row, tag });
    return 201;
  }

  #refer(at: Place, id: number): number {
    const row = this.#find(at);
    if (row === undefined) return 422;
    if (this.#refs.some((each) => each.id === id)) return 409;
    this.#refs.push({ id, row });
    return 201;
  }
}

function placeOf({ type, id, parent }: Row): Place {
  return [...(parent === undefined ? [] : placeOf(parent)), { type, id }];
}
