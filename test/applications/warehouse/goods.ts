// Requests about products, suppliers, workers and labels.

import { Fraction, sum } from '../decimals.ts';
import type { Operation } from '../harness.ts';
import type { Random } from '../random.ts';
import { posted } from './places.ts';
import { below, ok, shownProduct, shownWorker, tagged } from './shown.ts';
import { moment, type Product, sorted, type World } from './world.ts';

/** Eight digits each; of the second the last digit is wrong. */
const codes = ['12345670', '12345678', '96385074'] as const;

export class GoodsRequests {
  readonly #random: Random;
  readonly #world: World;

  constructor(random: Random, world: World) {
    this.#random = random;
    this.#world = world;
  }

  createProduct(): Operation {
    const Sku = `p${this.#random.integer(1, 12)}`;
    const given = {
      Sku,
      Name: `Product ${Sku} ü`,
      ...(this.#random.chance(0.6) ? { Cost: this.#random.decimal(150, 3) } : {}),
      ...(this.#random.chance(0.3) ? { Ean: this.#random.pick(codes) } : {}),
      ...(this.#random.chance(0.3) ? { Steps: [this.#random.decimal(9, 3), '2.5'] } : {}),
      ...(this.#random.chance(0.3) ? { Extra: { b: 0.1, a: { list: [1, null, 'x'] }, '10': true, '9': '1.50' } } : {}),
    };
    const Pack = { Weight: this.#random.decimal(30, 4), ...(this.#random.chance(0.7) ? { Units: this.#random.pick([1, 3, 7, 8]) } : {}) };
    const isFaulty = this.#random.chance(0.08);
    const request = posted('Wh.Stock/Product', isFaulty ? { ...given, Colour: 'red' } : this.#asNumbers({ ...given, Pack }));
    if (isFaulty)
      return {
        ...request,
        status: 422,
        answer: [{ status: 'error', code: 'attributes-invalid' }],
      };
    if ('Ean' in given && given.Ean === codes[1]) return { ...request, status: this.#world.products.has(Sku) ? 'refused' : 422 };
    if (this.#world.products.has(Sku)) return { ...request, status: 409 };
    const product: Product = {
      Ean: null,
      Cost: '1.50',
      Steps: null,
      Extra: null,
      Family: 'other',
      ...given,
      Pack: { Units: 1, ...Pack },
    };
    this.#world.products.set(Sku, product);
    return { ...request, status: 200, answer: ok(shownProduct(this.#world, product)) };
  }

  changeProduct(): Operation {
    const [Sku, product] = this.#someProduct();
    const changes = this.#random.pick([
      { Cost: this.#random.decimal(150, 3) },
      { Pack: { Weight: this.#random.decimal(20, 3), Units: this.#random.pick([1, 2, 3, 6]) } },
      { Name: `Renamed ${this.#random.integer(1, 5)}`, Steps: [this.#random.decimal(9, 2)] },
      { Extra: null, Family: 'tools' },
      { Cost: '-0.01' },
      { Ean: codes[1] },
    ]);
    const key = this.#random.pick(['Data', 'Wh.Stock/Product']);
    const request = { method: 'PUT', target: `/api/Wh.Stock/Product/${Sku}`, body: { [key]: this.#asNumbers(changes) } } as const;
    const isFaulty = ('Cost' in changes && changes.Cost === '-0.01') || 'Ean' in changes;
    if (product === undefined) return { ...request, status: isFaulty ? 'refused' : 404 };
    if (isFaulty) return { ...request, status: 422, answer: [{ code: 'attributes-invalid', errors: [{ code: 'check' }] }] };
    Object.assign(product, changes);
    this.#world.note('product', Sku);
    return { ...request, status: 200, answer: shownProduct(this.#world, product) };
  }

  /** What was read, tags and all, comes back: that is a change to nothing. */
  sendBack(): Operation {
    const [Sku, product] = this.#someProduct();
    const target = `/api/Wh.Stock/Product/${Sku}`;
    if (product === undefined) return { method: 'GET', target, status: 404 };
    const shown = shownProduct(this.#world, product);
    this.#world.note('product', Sku);
    return { method: 'PUT', target, body: { 'Wh.Stock/Product': shown }, status: 200, answer: shown };
  }

  removeProduct(): Operation {
    const [Sku, product] = this.#someProduct();
    const request = { method: 'DELETE', target: `/api/Wh.Stock/Product/${Sku}` } as const;
    if (product === undefined) return { ...request, status: 404 };
    const isSold = [...this.#world.orders.values()].some(({ lines }) => [...lines.values()].some((line) => line.Sku === Sku));
    if (isSold || this.#world.lots().some(({ lot }) => lot.Sku === Sku))
      return { ...request, status: 409, answer: [{ code: 'instance-referenced' }] };
    const answer = ok(shownProduct(this.#world, product));
    this.#world.products.delete(Sku);
    this.#world.cutLinks();
    return { ...request, status: 200, answer };
  }

  /** Also by codes that no product can have. */
  scan(): Operation {
    const [Ean, By] = [this.#random.pick([codes[0], codes[2], 'x', '1234567x']), this.#random.pick([null, 'Ann'])];
    const Found = [...this.#world.products.values()].filter((each) => each.Ean === Ean).length;
    const answer = { Found, For: `for ${By ?? 'nobody'}:${By ?? ''}`, Rank: By === null ? null : 2 };
    return { ...posted('Wh.Stock/Scan', { Ean, ...(By === null ? {} : { By }) }), status: 200, answer };
  }

  createSupplier(): Operation {
    const [No, name] = [this.#random.integer(1, 6), this.#random.integer(1, 6)];
    const values = { Name: `Supplier ${name}`, ...(this.#random.chance(0.3) ? { Mail: `s${No}@example.com` } : {}) };
    const request = posted('Wh.Stock/Supplier', { No, ...values });
    const isTaken = this.#world.suppliers.has(No) || [...this.#world.suppliers.values()].some(({ Name }) => Name === values.Name);
    if (isTaken) return { ...request, status: 409 };
    const supplier = { Mail: null, ...values };
    this.#world.suppliers.set(No, supplier);
    return { ...request, status: 200, answer: ok(tagged('Wh.Stock/Supplier', { No, ...supplier })) };
  }

  removeSupplier(): Operation {
    const No = this.#random.pickOr([...this.#world.suppliers.keys()], 99);
    const request = { method: 'DELETE', target: `/api/Wh.Stock/Supplier/${No}` } as const;
    if (!this.#world.suppliers.delete(No)) return { ...request, status: 404 };
    this.#world.cutLinks();
    return { ...request, status: 200 };
  }

  reprice(): Operation {
    const [Supplier, Percent] = [this.#random.pickOr([...this.#world.suppliers.keys()], 99), this.#random.pick(['2.5', '-3', '0.75'])];
    const found = this.#world.supplies
      .filter((each) => each.Supplier === Supplier)
      .sort((one, other) => (one.Product < other.Product ? -1 : 1));
    const answer = found.map(({ Product: Sku, Price }) => {
      const product = this.#world.products.get(Sku);
      const Cost = Fraction.of(Price)
        .times(Fraction.of(1).plus(Fraction.of(Percent).over(100)))
        .round(2);
      const Rise = Cost.minus(product?.Cost ?? 0);
      if (product !== undefined) product.Cost = Cost;
      this.#world.note('product', Sku);
      return { Sku, Cost, Rise };
    });
    return { ...posted('Wh.Stock/Reprice', { Supplier, Percent }), status: 200, answer };
  }

  report(): Operation {
    const Least = this.#random.integer(1, 12);
    const lots = this.#world
      .lots()
      .map(({ lot }) => lot)
      .filter(({ Qty }) => Qty >= Least);
    const answer = [...new Set(lots.map(({ Sku }) => Sku))].sort().map((Sku) => {
      const own = lots.filter((lot) => lot.Sku === Sku);
      const first = Math.min(...own.map(({ Received }) => moment(Received)));
      const writings = own.map(({ Received }) => Received).filter((each) => moment(each) === first);
      return {
        Sku,
        Lots: own.length,
        Units: own.reduce((total, { Qty }) => total + Qty, 0),
        Value: sum(own.map((lot) => this.#world.lotValue(lot))),
        First: oneOf(writings),
      };
    });
    return { ...posted('Wh.Stock/Report', Least === 1 ? {} : { Least }), status: 200, answer };
  }

  createWorker(): Operation {
    const Id = this.#uuid();
    const Wage = this.#random.chance(0.6) ? { Wage: this.#random.decimal(50, 2) } : {};
    const request = posted('Wh.Stock/Worker', { Id, Name: ` Ann ${Id.slice(-1)} `, ...Wage });
    if (this.#world.workers.has(Id)) return { ...request, status: 409 };
    this.#world.workers.set(Id, { Name: `Ann ${Id.slice(-1)}`, Wage: '20.00', ...Wage });
    return { ...request, status: 200, answer: ok(shownWorker(this.#world, Id)) };
  }

  removeWorker(): Operation {
    const Id = this.#someWorker();
    const request = { method: 'DELETE', target: `/api/Wh.Stock/Worker/${Id.toUpperCase()}` } as const;
    if (!this.#world.workers.delete(Id)) return { ...request, status: 404 };
    this.#world.cutLinks();
    return { ...request, status: 200 };
  }

  /** Makes workers, and fails behind that where there is no mentor. */
  hire(): Operation {
    const [ids, Mentor] = [[this.#uuid(), this.#uuid()], this.#someWorker()];
    const request = posted('Wh.Stock/Hire', { Ids: ids, Names: ['Bob', 'Cyd'], Mentor });
    if (ids[0] === ids[1] || ids.some((id) => this.#world.workers.has(id))) return { ...request, status: 409 };
    const isThere = this.#world.workers.has(Mentor) || ids.includes(Mentor);
    if (!isThere) return { ...request, status: 404, answer: [{ status: 'not-found', result: 'no mentor' }] };
    for (const id of ids) this.#world.workers.set(id, { Name: 'Bob', Wage: '20.00' });
    this.#world.mentors.push({ Mentor, Novice: ids[1] ?? '', Hours: '1.5' });
    const novices = this.#world.mentors
      .filter((each) => each.Mentor === Mentor)
      .map(({ Novice }) => Novice)
      .sort();
    const related = novices.map((id) => shownWorker(this.#world, id));
    return { ...request, status: 200, answer: [below(shownWorker(this.#world, Mentor), 'Mentors', related)] };
  }

  jot(Code: string, Text: string): Operation {
    this.#world.labels.set(Code, Text);
    return { ...posted('Wh.Stock/Jot', { Code, Text }), status: 200, answer: Code };
  }

  tell(Code: string, Text: string): Operation {
    this.#world.labels.set(Code, Text);
    const answer = sorted(this.#world.labels)
      .filter(([code]) => code[0] === Code[0])
      .map(([code, text]) => tagged('Wh.Stock/Label', { Code: code, Text: text }));
    return { ...posted('Wh.Stock/Tell', { Code, Text }), status: 200, answer };
  }

  /** By an upsert, or by the events that every entity has. */
  label(): Operation {
    const [Code, Text] = [this.#random.pick(['a1', 'a2', 'b1', 'ü1']), `Text ${this.#random.integer(1, 9)}`];
    const isThere = this.#world.labels.has(Code);
    const shown = (code: string, text: string) => tagged('Wh.Stock/Label', { Code: code, Text: text });
    const all = () => sorted(this.#world.labels).map(([code, text]) => shown(code, text));
    return this.#random.weighted<() => Operation>([
      [3, () => this.tell(Code, Text)],
      [
        2,
        () => {
          const request = posted('Wh.Stock/Create_Label', { Instance: { 'Wh.Stock/Label': { Code, Text } } });
          if (isThere) return { ...request, status: 409 };
          this.#world.labels.set(Code, Text);
          return { ...request, status: 200, answer: { 'Wh.Stock/Label': { Code, Text } } };
        },
      ],
      [
        2,
        () => {
          const request = posted('Wh.Stock/Update_Label', { Code, Data: { Text } });
          if (!isThere) return { ...request, status: 404 };
          this.#world.labels.set(Code, Text);
          return { ...request, status: 200, answer: [shown(Code, Text)] };
        },
      ],
      [
        1,
        () => {
          this.#world.labels.delete(Code);
          this.#world.cutLinks();
          return { ...posted('Wh.Stock/Delete_Label', { Code }), status: isThere ? 200 : 404 };
        },
      ],
      [1, () => ({ ...posted('Wh.Stock/LookupAll_Label', {}), status: 200, answer: all() })],
      [
        1,
        () => ({
          ...posted('Wh.Stock/Lookup_Label', { Code }),
          status: 200,
          answer: isThere ? [shown(Code, this.#world.labels.get(Code) ?? '')] : [],
        }),
      ],
    ])();
  }

  query(): Operation {
    const [least, families] = [this.#random.decimal(60, 2), this.#random.pick([['tools'], ['tools', 'other'], []])];
    const where = ['or', ['>=', 'Cost', least], ['and', ['in', 'Family', families], ['like', 'Name', 'R%']]];
    const found = sorted(this.#world.products)
      .map(([, product]) => product)
      .filter((each) => Fraction.of(each.Cost).compare(least) >= 0 || (families.includes(each.Family) && each.Name.startsWith('R')))
      .sort((one, other) => Fraction.of(other.Cost).compare(one.Cost) || (one.Sku < other.Sku ? -1 : 1))
      .slice(0, 4);
    const body = { Query: { from: 'Wh.Stock/Product', where, 'order-by': [['Cost', 'desc'], 'Sku'], limit: 4 } };
    return { method: 'POST', target: '/q', body, status: 200, answer: found.map((each) => shownProduct(this.#world, each)) };
  }

  /** A decimal may be sent as a number. */
  #asNumbers<T extends { readonly Cost?: string; readonly Steps?: readonly string[] }>(values: T): object {
    if (this.#random.chance(0.6)) return values;
    const cost = values.Cost === undefined ? {} : { Cost: Number(values.Cost) };
    return { ...values, ...cost, ...(values.Steps === undefined ? {} : { Steps: values.Steps.map(Number) }) };
  }

  #someProduct(): readonly [string, Product | undefined] {
    const sku = this.#random.pickOr([...this.#world.products.keys()], 'p99');
    return [sku, this.#world.products.get(sku)];
  }

  #someWorker(): string {
    return this.#random.pickOr([...this.#world.workers.keys()], '0190a5c4-7a4e-4cc3-9a3e-1f6f0c8d2b99');
  }

  #uuid(): string {
    return `0190a5c4-7a4e-4cc3-9a3e-1f6f0c8d2b${String(this.#random.integer(10, 40))}`;
  }
}

/** Where several writings of one value are as good as each other. */
function oneOf(values: readonly string[]): { asymmetricMatch(other: unknown): boolean } {
  return { asymmetricMatch: (other) => values.some((each) => each === other) };
}
