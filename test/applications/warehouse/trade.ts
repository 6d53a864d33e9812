// Requests about customers and their orders, and the dataflows that take goods out of the bins.

import { Fraction } from '../decimals.ts';
import type { Operation } from '../harness.ts';
import type { Random } from '../random.ts';
import { posted } from './places.ts';
import { below, ok, shownCustomer, shownLine, shownLines, shownOrder, shownPallet, shownSlips, tagged } from './shown.ts';
import { type Customer, type Line, type Lot, lotPath, moment, type Order, sorted, type World } from './world.ts';

export class TradeRequests {
  readonly #random: Random;
  readonly #world: World;

  constructor(random: Random, world: World) {
    this.#random = random;
    this.#world = world;
  }

  createCustomer(): Operation {
    const No = this.#random.integer(1, 8);
    const given = {
      No,
      Name: `Customer ${No}`,
      ...(this.#random.chance(0.6) ? { Discount: this.#random.decimal(30, 2) } : {}),
      ...(this.#random.chance(0.3) ? { Terms: { net: 30, rate: 0.125, text: '1.10' } } : {}),
    };
    const request = posted('Wh.Trade/Customer', given);
    if (this.#world.customers.has(No)) return { ...request, status: 409 };
    const customer = { Discount: '0', Terms: null, ...given };
    this.#world.customers.set(No, customer);
    return { ...request, status: 200, answer: ok(shownCustomer(this.#world, customer)) };
  }

  changeCustomer(): Operation {
    const [No, customer] = this.#someCustomer();
    const changes = this.#random.pick([
      { Discount: this.#random.decimal(40, 3) },
      { Name: 'Née', Terms: { a: [0.1, '0.10'] } },
      { Best: 'x' },
    ]);
    const request = { method: 'PUT', target: `/api/Wh.Trade/Customer/${No}`, body: { 'Wh.Trade/Customer': changes } } as const;
    if ('Best' in changes) return { ...request, status: customer === undefined ? 'refused' : 422 };
    if (customer === undefined) return { ...request, status: 404 };
    Object.assign(customer, changes);
    return { ...request, status: 200, answer: shownCustomer(this.#world, customer) };
  }

  /** The orders stay. */
  removeCustomer(): Operation {
    const [No, customer] = this.#someCustomer();
    const request = { method: 'DELETE', target: `/api/Wh.Trade/Customer/${No}` } as const;
    if (customer === undefined) return { ...request, status: 404 };
    const answer = ok(shownCustomer(this.#world, customer));
    this.#world.customers.delete(No);
    this.#world.cutLinks();
    return { ...request, status: 200, answer };
  }

  createOrder(): Operation {
    const order = this.#newOrder();
    const products = [...this.#world.products.keys()];
    const made =
      products.length === 0 ? [] : Array.from({ length: this.#random.integer(0, 3) }, () => this.#newLine(this.#random.pick(products)));
    const lines = made.map(({ body }, index) => ({
      'Wh.Trade/Line': { No: index + 1, ...body },
      ...(index === 0 ? { 'Wh.Trade/LineSlip': [{ 'Wh.Trade/Slip': { No: 1, Text: 'with care' } }] } : {}),
    }));
    const { lines: _, State: __, ...sent } = order;
    const body = { 'Wh.Trade/Order': sent, 'Wh.Trade/OrderLine': lines };
    const request = { method: 'POST', target: '/api/Wh.Trade/Order', body } as const;
    if (this.#isTaken(order)) return { ...request, status: 409 };
    for (const [index, { line }] of made.entries()) order.lines.set(index + 1, line);
    order.lines.get(1)?.slips.set(1, 'with care');
    this.#world.orders.set(order.No, order);
    return { ...request, status: 200 };
  }

  changeOrder(): Operation {
    const [No, order] = this.#someOrder();
    const changes = this.#random.pick([
      { State: 'sent' },
      { State: 'open' },
      { State: 'lost' },
      { Slot: '12:30:00.25' },
      { Day: this.#day() },
    ]);
    const request = { method: 'PUT', target: `/api/Wh.Trade/Order/${No}`, body: { Data: changes } } as const;
    if ('State' in changes && changes.State === 'lost') return { ...request, status: order === undefined ? 'refused' : 422 };
    if (order === undefined) return { ...request, status: 404 };
    const after = { ...order, ...changes };
    if (after.State === 'sent' && this.#world.net(order).compare(0) === 0) return { ...request, status: 'refused' };
    if (this.#isMomentTaken(after)) return { ...request, status: 409 };
    Object.assign(order, changes);
    return { ...request, status: 200, answer: shownOrder(this.#world, order) };
  }

  removeOrder(): Operation {
    const [No, order] = this.#someOrder();
    const request = { method: 'DELETE', target: `/api/Wh.Trade/Order/${No}` } as const;
    if (order === undefined) return { ...request, status: 404 };
    const answer = ok(shownOrder(this.#world, order));
    this.#world.orders.delete(No);
    this.#world.cutLinks();
    return { ...request, status: 200, answer };
  }

  addLine(): Operation {
    const [No, order] = this.#someOrder();
    const [no, sku] = [this.#random.integer(1, 6), this.#random.pickOr([...this.#world.products.keys()], 'p99')];
    const { body, line } = this.#newLine(sku);
    const sent = this.#random.chance(0.1) ? { ...body, Qty: 0 } : body;
    const target = `/api/Wh.Trade/Order/${No}/OrderLine/Line`;
    const request = { method: 'POST', target, body: { 'Wh.Trade/Line': { No: no, ...sent } } } as const;
    const isFaulty = sent !== body || !this.#world.products.has(sku);
    if (order === undefined || isFaulty) return { ...request, status: isFaulty ? 'refused' : 404 };
    if (order.lines.has(no)) return { ...request, status: 409 };
    order.lines.set(no, line);
    return { ...request, status: 200, answer: ok(shownLine(this.#world, No, no, line)) };
  }

  changeLine(): Operation {
    const [No, order] = this.#someOrder();
    const no = this.#random.pickOr([...(order?.lines.keys() ?? [])], 77);
    const changes = this.#random.pick([
      { Qty: this.#random.integer(1, 9) },
      { Price: this.#random.decimal(99, 4) },
      { Price: null },
      { Amount: '-1' },
    ]);
    const target = `/api/Wh.Trade/Order/${No}/OrderLine/Line/${no}`;
    const request = { method: 'PUT', target, body: { 'Wh.Trade/Line': changes } } as const;
    const line = order?.lines.get(no);
    if ('Amount' in changes) return { ...request, status: line === undefined ? 'refused' : 422 };
    if (line === undefined) return { ...request, status: 404 };
    Object.assign(line, changes);
    return { ...request, status: 200, answer: shownLine(this.#world, No, no, line) };
  }

  removeLine(): Operation {
    const [No, order] = this.#someOrder();
    const no = this.#random.pickOr([...(order?.lines.keys() ?? [])], 77);
    const request = { method: 'DELETE', target: `/api/Wh.Trade/Order/${No}/OrderLine/Line/${no}` } as const;
    const line = order?.lines.get(no);
    if (line === undefined) return { ...request, status: 404 };
    const answer = ok(shownLine(this.#world, No, no, line));
    order?.lines.delete(no);
    return { ...request, status: 200, answer };
  }

  /** Its text is never changed. */
  slip(): Operation {
    const [No, order] = this.#someOrder();
    const no = this.#random.pickOr([...(order?.lines.keys() ?? [])], 77);
    const line = order?.lines.get(no);
    const under = `/api/Wh.Trade/Order/${No}/OrderLine/Line/${no}/LineSlip/Slip`;
    if (this.#random.chance(0.4) && line?.slips.has(1) === true)
      return { method: 'PUT', target: `${under}/1`, body: { Data: { Text: 'other' } }, status: 422 };
    const number = this.#random.integer(1, 3);
    const request = { method: 'POST', target: under, body: { 'Wh.Trade/Slip': { No: number, Text: 'new' } } } as const;
    if (order === undefined || line === undefined) return { ...request, status: 404 };
    if (line.slips.has(number)) return { ...request, status: 409 };
    line.slips.set(number, 'new');
    const [shown] = shownSlips({ ...order, lines: new Map([[no, { ...line, slips: new Map([[number, 'new']]) }]]) });
    return { ...request, status: 200, answer: ok(shown ?? {}) };
  }

  link(): Operation {
    const link = { Customer: this.#someCustomer()[0], Order: this.#someOrder()[0] };
    const request = posted('Wh.Trade/Placed', link);
    if (!this.#world.customers.has(link.Customer) || !this.#world.orders.has(link.Order)) return { ...request, status: 422 };
    if (this.#world.placed.some(({ Order }) => Order === link.Order)) return { ...request, status: 409 };
    this.#world.placed.push(link);
    return { ...request, status: 200, answer: ok(tagged('Wh.Trade/Placed', link)) };
  }

  unlink(): Operation {
    const link = this.#random.pickOr(this.#world.placed, { Customer: 98, Order: 98 });
    const target = `/api/Wh.Trade/Customer/${link.Customer}/Placed/Order/${link.Order}`;
    if (!this.#world.placed.includes(link)) return { method: 'DELETE', target, status: 404 };
    this.#world.placed = this.#world.placed.filter((each) => each !== link);
    return { method: 'DELETE', target, status: 200 };
  }

  carrier(): Operation {
    const [Code, Rate] = [this.#random.pick(['x', 'y', 'z']), this.#random.decimal(9, 3)];
    const request = posted('Wh.Trade/Carrier', { Code, Rate });
    if (this.#world.carriers.has(Code)) return { ...request, status: 409 };
    this.#world.carriers.set(Code, Rate);
    return { ...request, status: 200, answer: ok(tagged('Wh.Trade/Carrier', { Code, Rate })) };
  }

  /** It stays when its site goes, and is reached by its code then. */
  pallet(): Operation {
    const Code = this.#random.pick(['x1', 'x2', 'x3', 'x4']);
    const pallet = this.#world.pallets.get(Code);
    const flat = `/api/Wh.Trade/Pallet/${Code}`;
    if (this.#random.chance(0.5)) {
      const site = this.#random.pickOr([...this.#world.sites.keys()], 'nowhere');
      const target = `/api/Wh.Stock/Site/${encodeURIComponent(site)}/Wh.Trade$Keeps/Wh.Trade$Pallet`;
      const request = { method: 'POST', target, body: { 'Wh.Trade/Pallet': { Code } } } as const;
      if (!this.#world.sites.has(site)) return { ...request, status: pallet === undefined ? 404 : 'refused' };
      if (pallet !== undefined) return { ...request, status: 409 };
      this.#world.pallets.set(Code, { Weight: '12.5', site });
      return { ...request, status: 200, answer: ok(shownPallet(this.#world, Code)) };
    }
    if (this.#random.chance(0.3)) {
      const answer = ok(shownPallet(this.#world, Code));
      return { method: 'DELETE', target: flat, ...(this.#world.pallets.delete(Code) ? { status: 200, answer } : { status: 404 }) };
    }
    const Weight = this.#random.decimal(30, 3);
    const request = { method: 'PUT', target: flat, body: { 'Wh.Trade/Pallet': { Weight } } } as const;
    if (pallet === undefined) return { ...request, status: 404 };
    pallet.Weight = Weight;
    return { ...request, status: 200, answer: shownPallet(this.#world, Code) };
  }

  agree(): Operation {
    const [Customer, customer] = this.#someCustomer();
    const Rate = this.#random.chance(0.3) ? '12345678901234567.89' : this.#random.decimal(30, 3);
    const request = posted('Wh.Trade/Agree', { Customer, Rate });
    if (customer === undefined) return { ...request, status: 422, answer: [{ message: 'There is no such customer.' }] };
    const [rate, last] = [Fraction.of(Rate).times('0.1'), Fraction.of(Rate).times(3)];
    customer.Terms = { rate: untyped(rate), steps: [0.25, 0.3, untyped(last)], days: 30 };
    return { ...request, status: 200, answer: [shownCustomer(this.#world, customer)] };
  }

  place(): Operation {
    const [Customer] = this.#someCustomer();
    const order = this.#newOrder();
    order.Slot = null;
    const Items = Array.from({ length: this.#random.integer(1, 3) }, () => ({
      Sku: this.#random.pickOr([...this.#world.products.keys()], 'p99'),
      Qty: this.#random.chance(0.05) ? 0 : this.#random.integer(1, 30),
    }));
    const { No, Day, At } = order;
    const request = posted('Wh.Trade/Place', { No, Customer, Day, At, Items });
    if (!this.#world.customers.has(Customer)) return { ...request, status: 422, answer: [{ message: 'There is no such customer.' }] };
    if (this.#isTaken(order)) return { ...request, status: 409 };
    for (const [index, { Sku, Qty }] of Items.entries()) {
      if (!this.#world.products.has(Sku)) return { ...request, status: 422, answer: [{ message: `There is no product ${Sku}.` }] };
      if (Qty === 0) return { ...request, status: 422, answer: [{ code: 'attributes-invalid' }] };
      const Price = this.#world.cost(Sku).times(Fraction.of(1).minus(Fraction.of(Qty).over(10_000)));
      order.lines.set(index + 1, { Sku, Qty, Price, slips: new Map() });
    }
    this.#world.orders.set(No, order);
    this.#world.placed.push({ Customer, Order: No });
    const answer = [below(shownOrder(this.#world, order), 'OrderLine', shownLines(this.#world, order), 'Wh.Trade')];
    return { ...request, status: 200, answer };
  }

  pack(): Operation {
    const [No, order] = this.#someOrder();
    const request = posted('Wh.Trade/Pack', { Order: No });
    if (order?.State !== 'open') return { ...request, status: 422, answer: [{ message: 'There is no such open order.' }] };
    const taken = new Map<Lot, number>();
    for (const [, { Sku, Qty }] of sorted(order.lines)) {
      const missing = this.#take(Sku, Qty, taken);
      if (typeof missing === 'string') return { ...request, status: 422, answer: [{ message: missing }] };
    }
    for (const { bin, no, lot } of this.#world.lots()) {
      lot.Qty -= taken.get(lot) ?? 0;
      if (lot.Qty === 0) bin.lots.delete(no);
    }
    order.State = 'packed';
    const gross = this.#world.gross(order);
    return { ...request, status: 200, answer: { No, State: 'packed', Share: gross.over(4), Cents: gross.times(100) } };
  }

  /** Notes what is taken of each lot, the oldest first; says what stands in the way. */
  #take(sku: string, quantity: number, taken: Map<Lot, number>): string | undefined {
    const lots = this.#world
      .lots()
      .filter(({ lot }) => lot.Sku === sku && lot.Qty > (taken.get(lot) ?? 0))
      .map((each) => ({ ...each, path: lotPath(each, each.no) }))
      .sort((one, other) => moment(one.lot.Received) - moment(other.lot.Received) || (one.path < other.path ? -1 : 1));
    let left = quantity;
    for (const { lot } of lots) {
      const there = lot.Qty - (taken.get(lot) ?? 0);
      const part = Math.min(left, there);
      // What is taken whole is deleted, which a trigger may refuse.
      if (part === there && there > 90) return `Too much of ${sku} is left.`;
      taken.set(lot, (taken.get(lot) ?? 0) + part);
      left -= part;
    }
    return left > 0 ? `${left} of ${sku} are missing.` : undefined;
  }

  turnover(): Operation {
    const answer = sorted(this.#world.customers).map(([No]) => {
      const amounts = this.#world.ordersOf(No).map((order) => this.#world.gross(order));
      const Gross = amounts.length === 0 ? null : amounts.reduce((total, each) => total.plus(each));
      return { No, Orders: amounts.length, Gross };
    });
    return { ...posted('Wh.Trade/Turnover', {}), status: 200, answer };
  }

  cancel(): Operation {
    const Before = `2026-${this.#random.pick(['01', '02', '03'])}-03`;
    const gone = sorted(this.#world.orders)
      .filter(([, { Day, State }]) => State === 'open' && Day < Before)
      .map(([no]) => no);
    for (const no of gone) this.#world.orders.delete(no);
    this.#world.cutLinks();
    return { ...posted('Wh.Trade/Cancel', { Before }), status: 200, answer: gone };
  }

  #newOrder(): Order {
    const At = `2026-01-0${this.#random.integer(1, 9)}T${this.#random.pick(['10:00:00Z', '10:00:00.000Z', '10:00:00.5', '11:00:00Z'])}`;
    const Slot = this.#random.pick([null, '09:00:00', '09:00:00.125']);
    return { No: this.#random.integer(1, 50), Day: this.#day(), At, Slot, State: 'open', lines: new Map() };
  }

  #newLine(sku: string): { readonly body: object; readonly line: Line } {
    const Qty = this.#random.integer(1, 9);
    const Price = this.#random.chance(0.5) ? this.#random.decimal(80, 3) : undefined;
    const body = { Sku: sku, Qty, ...(Price === undefined ? {} : { Price }) };
    return { body, line: { Sku: sku, Qty, Price: Price ?? this.#world.cost(sku).times('1.07'), slips: new Map() } };
  }

  #isTaken(order: Order): boolean {
    return this.#world.orders.has(order.No) || this.#isMomentTaken(order);
  }

  #isMomentTaken({ No, Day, At }: Order): boolean {
    return [...this.#world.orders.values()].some((each) => each.No !== No && each.Day === Day && moment(each.At) === moment(At));
  }

  #day(): string {
    return `2026-0${this.#random.integer(1, 6)}-0${this.#random.integer(1, 5)}`;
  }

  #someCustomer(): readonly [number, Customer | undefined] {
    const no = this.#random.pickOr([...this.#world.customers.keys()], 99);
    return [no, this.#world.customers.get(no)];
  }

  #someOrder(): readonly [number, Order | undefined] {
    const no = this.#random.pickOr([...this.#world.orders.keys()], 99);
    return [no, this.#world.orders.get(no)];
  }
}

/** In a map a decimal is a number where a double is written with the same digits, else a text. */
function untyped(value: Fraction): number | string {
  const text = value.text();
  return String(Number(text)) === text ? Number(text) : text;
}
