// Invoicing in plain code: what the model of this folder must do, written without it.

import { Fraction, sum } from '../decimals.ts';
import type { Operation, Oracle } from '../harness.ts';
import type { Random } from '../random.ts';

interface Product {
  readonly sku: string;
  name: string;
  price: string | Fraction;
  stock: number;
  tax: string;
  pack: { weight: string; units: number } | null;
  steps: readonly string[] | null;
  readonly categories: Map<string, { rank: number; since: string | null }>;
}

interface Customer {
  readonly number: number;
  name: string;
  readonly email: string;
  address: { street: string; city: string; zip: string | null };
  creditLimit: string | Fraction;
  known: string | null;
  tags: readonly string[] | null;
  readonly contacts: Map<number, { name: string; phone: string | null }>;
}

interface Line {
  readonly product: string;
  quantity: number;
  price: string | Fraction;
  off: string;
  readonly serials: Map<string, string | null>;
}

interface Invoice {
  readonly no: number;
  date: string;
  discount: string;
  state: 'open' | 'paid';
  customer: number | undefined;
  readonly lines: Map<number, Line>;
  readonly payments: Map<number, { amount: string; at: string; method: string }>;
  readonly reminders: Map<number, { fee: Fraction; day: string }>;
}

const hundred = Fraction.of(100);
/** Some of them are the same number. */
const margins = ['2.5', '2.50', '3', '3.0', '12.75'] as const;

export class InvoicingOracle implements Oracle {
  readonly #random: Random;
  readonly #taxes = new Map<string, string>();
  readonly #categories = new Map<string, { name: string; margin: string }>();
  readonly #products = new Map<string, Product>();
  readonly #changes: { sku: string; price: string | Fraction; stock: number }[] = [];
  readonly #customers = new Map<number, Customer>();
  readonly #invoices = new Map<number, Invoice>();
  readonly #entries = new Map<string, Map<number, { amount: string; text: string }>>([
    ['bank', new Map()],
    ['cash', new Map()],
  ]);
  readonly #periods = new Map<string, { from: string; to: string; closed: boolean; margin: string | null }>();

  constructor(random: Random) {
    this.#random = random;
  }

  operation(): Operation {
    return this.#random.weighted<() => Operation>([
      [2, () => this.#createTax()],
      [2, () => this.#createCategory()],
      [5, () => this.#createProduct()],
      [4, () => this.#createCustomer()],
      [2, () => this.#addContact()],
      [5, () => this.#changeProduct()],
      [2, () => this.#changeTax()],
      [3, () => this.#changeCustomer()],
      [5, () => this.#createInvoice()],
      [5, () => this.#addLine()],
      [4, () => this.#changeLine()],
      [2, () => this.#removeLine()],
      [2, () => this.#addSerial()],
      [3, () => this.#changeInvoice()],
      [1, () => this.#removeInvoice()],
      [1, () => this.#removeProduct()],
      [3, () => this.#categorize()],
      [1, () => this.#uncategorize()],
      [2, () => this.#createPeriod()],
      [8, () => this.#sell()],
      [8, () => this.#pay()],
      [1, () => this.#remind()],
      [2, () => this.#reprice()],
      [2, () => ({ method: 'POST', target: '/sales/revenue', body: {}, status: 200, answer: this.#revenue() })],
      [2, () => this.#statement()],
      [3, () => this.#raise()],
      [4, () => this.#freight()],
      [1, () => ({ method: 'POST', target: '/sales/reductions', body: {}, status: 200, answer: this.#reductions() })],
    ])();
  }

  lists(): ReadonlyMap<string, readonly object[]> {
    const products = [...this.#products.values()].sort(by('sku'));
    const invoices = [...this.#invoices.values()].sort(by('no'));
    const customers = [...this.#customers.values()].sort(by('number'));
    return new Map<string, readonly object[]>([
      ['/sales/TaxRate', [...this.#taxes].sort(byKey).map(([code, percent]) => ({ code, percent }))],
      ['/sales/Category', [...this.#categories].sort(byKey).map(([code, each]) => ({ code, ...each }))],
      ['/sales/Product', products.map((each) => this.#shownProduct(each))],
      [
        '/sales/Product?@include=ProductCategory',
        products.map((each) => ({ ...this.#shownProduct(each), ProductCategory: this.#shownCategories(each) })),
      ],
      ['/sales/ProductChange', this.#changes.map((each, index) => ({ no: index + 1, ...each }))],
      ['/sales/Customer', customers.map((each) => this.#shownCustomer(each))],
      [
        '/sales/Customer?@include=CustomerInvoice',
        customers.map((each) => ({
          ...this.#shownCustomer(each),
          CustomerInvoice: invoices.filter(({ customer }) => customer === each.number).map((one) => this.#shownInvoice(one)),
        })),
      ],
      ['/sales/Contact', customers.flatMap((each) => shownContacts(each))],
      ['/sales/Invoice', invoices.map((each) => this.#shownInvoice(each))],
      [
        '/sales/Invoice?@include=CustomerInvoice',
        invoices.map((each) => {
          const customer = this.#customers.get(each.customer ?? -1);
          return { ...this.#shownInvoice(each), CustomerInvoice: customer === undefined ? null : this.#shownCustomer(customer) };
        }),
      ],
      [
        '/sales/Invoice?due[gt]=0&@sort=-due,no',
        invoices
          .filter((each) => this.#due(each).compare(0) > 0)
          .sort((one, other) => this.#due(other).compare(this.#due(one)) || one.no - other.no)
          .map((each) => this.#shownInvoice(each)),
      ],
      ['/sales/Line', invoices.flatMap((each) => this.#shownLines(each))],
      ['/sales/Serial', invoices.flatMap((each) => this.#shownSerials(each))],
      ['/sales/Payment', invoices.flatMap((each) => shownPayments(each))],
      ['/sales/Reminder', invoices.flatMap((each) => shownReminders(each))],
      ['/ledger/Account', this.#shownAccounts()],
      ['/ledger/Entry', [...this.#entries].sort(byKey).flatMap(([account, entries]) => shownEntries(account, entries))],
      ['/ledger/Period', [...this.#periods].sort(byKey).map(([name, each]) => ({ name, ...each }))],
    ]);
  }

  /** Products have a title in place of a name, and a new attribute; customers a doubled limit; reminders are gone. */
  nextLists(): ReadonlyMap<string, readonly object[]> {
    const lists = new Map(this.lists());
    for (const path of ['/sales/Reminder', '/sales/Product?@include=ProductCategory']) lists.delete(path);
    const products = [...this.#products.values()].sort(by('sku')).map((each) => {
      const { name, ...rest } = this.#shownProduct(each);
      return { ...rest, title: name, unit: 'piece', value: Fraction.of(each.price).times(each.stock) };
    });
    lists.set('/sales/Product', products);
    for (const [path, rows] of lists) {
      if (path.startsWith('/sales/Invoice')) lists.set(path, rows.map(withoutReminders));
      if (path === '/sales/Customer?@include=CustomerInvoice')
        lists.set(
          path,
          rows.map((row) => ({
            ...row,
            CustomerInvoice: ('CustomerInvoice' in row && Array.isArray(row.CustomerInvoice) ? row.CustomerInvoice : []).map(
              withoutReminders,
            ),
          })),
        );
    }
    return lists;
  }

  // What is computed.

  #amount({ quantity, price, off }: Line): Fraction {
    return Fraction.of(price)
      .times(quantity)
      .times(Fraction.of(1).minus(Fraction.of(off).over(hundred)))
      .round(2);
  }

  #percent(sku: string): string {
    return this.#taxes.get(this.#products.get(sku)?.tax ?? '') ?? '0';
  }

  #lineTax(line: Line): Fraction {
    return this.#amount(line).times(this.#percent(line.product)).over(hundred).round(2);
  }

  #net({ lines }: Invoice): Fraction {
    return sum([...lines.values()].map((each) => this.#amount(each)));
  }

  #tax({ lines }: Invoice): Fraction {
    return sum([...lines.values()].map((each) => this.#lineTax(each)));
  }

  #gross(invoice: Invoice): Fraction {
    const rest = Fraction.of(1).minus(Fraction.of(invoice.discount).over(hundred));
    return this.#net(invoice).plus(this.#tax(invoice)).times(rest).round(2);
  }

  #due(invoice: Invoice): Fraction {
    return this.#gross(invoice).minus(sum([...invoice.payments.values()].map(({ amount }) => amount)));
  }

  #owed(number: number): Fraction {
    return sum([...this.#invoices.values()].filter(({ customer }) => customer === number).map((each) => this.#due(each)));
  }

  // What is shown.

  #shownProduct({ categories: _, ...product }: Product) {
    const { pack } = product;
    const shipping = pack === null ? null : Fraction.of(pack.weight).times('1.15').over(pack.units).round(3);
    return { ...product, percent: this.#taxes.get(product.tax), shipping };
  }

  #shownCategories({ categories }: Product): readonly object[] {
    return [...categories].sort(byKey).map(([code, link]) => ({ code, ...this.#categories.get(code), '@link': link }));
  }

  #shownCustomer({ contacts: _, ...customer }: Customer) {
    const owed = this.#owed(customer.number);
    const invoices = [...this.#invoices.values()].filter((each) => each.customer === customer.number).length;
    return { ...customer, invoices, owed, credit: Fraction.of(customer.creditLimit).minus(owed) };
  }

  #shownInvoice(invoice: Invoice) {
    const { no, date, discount, state, lines, payments, reminders } = invoice;
    const paid = sum([...payments.values()].map(({ amount }) => amount));
    const amounts = { net: this.#net(invoice), tax: this.#tax(invoice), gross: this.#gross(invoice), paid, due: this.#due(invoice) };
    return { no, date, discount, state, lines: lines.size, reminders: reminders.size, ...amounts };
  }

  #shownLine(invoice: number, no: number, line: Line) {
    const { serials: _, ...rest } = line;
    return { no, ...rest, amount: this.#amount(line), tax: this.#lineTax(line), __path__: linePath(invoice, no) };
  }

  #shownLines({ no, lines }: Invoice): readonly object[] {
    return [...lines].sort(byKey).map(([number, line]) => this.#shownLine(no, number, line));
  }

  #shownSerials({ no, lines }: Invoice): readonly object[] {
    return [...lines].sort(byKey).flatMap(([number, { serials }]) => shownSerials(no, number, serials));
  }

  #shownAccounts(): readonly object[] {
    const names: Readonly<Record<string, string>> = { bank: 'Bank', cash: 'Cash box' };
    return [...this.#entries].sort(byKey).map(([code, entries]) => {
      const balance = sum([...entries.values()].map(({ amount }) => amount));
      return { code, name: names[code], entries: entries.size, balance };
    });
  }

  // What is asked.

  #createTax(): Operation {
    const [code, percent] = [this.#random.pick(['full', 'reduced', 'none', 'old']), this.#random.decimal(25, 2)];
    const request = { method: 'POST', target: '/sales/TaxRate', body: { code, percent } } as const;
    if (this.#taxes.has(code)) return { ...request, status: 409, answer: { code: 'duplicate' } };
    this.#taxes.set(code, percent);
    return { ...request, status: 201, answer: { code, percent } };
  }

  #createCategory(): Operation {
    const code = this.#random.pick(['tools', 'food', 'toys', 'a b', 'é/ü']);
    const category = { name: `Category ${code}`, margin: this.#random.pick(margins) };
    const body = { code, ...category };
    const request = { method: 'POST', target: '/sales/Category', body } as const;
    if (this.#categories.has(code) || this.#hasMargin(category.margin)) return { ...request, status: 409 };
    this.#categories.set(code, category);
    return { ...request, status: 201, answer: body };
  }

  #hasMargin(margin: string): boolean {
    return [...this.#categories.values()].some((each) => Fraction.of(each.margin).compare(margin) === 0);
  }

  #createProduct(): Operation {
    const sku = `p${this.#random.integer(1, 14)}`;
    const pack = this.#random.chance(0.5) ? { weight: this.#random.decimal(40, 4), units: this.#random.pick([1, 2, 4, 5, 8]) } : null;
    const tax = this.#random.pickOr([...this.#taxes.keys()], 'nowhere');
    const steps = this.#random.chance(0.3) ? [this.#random.decimal(9, 2), this.#random.decimal(9, 2)] : null;
    const fields = {
      sku,
      name: `Product ${sku}`,
      price: this.#random.decimal(120, 3),
      stock: this.#random.integer(0, 60),
      tax,
      pack,
      steps,
    };
    const isFaulty = this.#random.chance(0.08);
    const request = { method: 'POST', target: '/sales/Product', body: isFaulty ? { ...fields, price: 'much' } : fields } as const;
    if (isFaulty) return { ...request, status: 422, answer: { errors: [{ attribute: 'price', code: 'type' }] } };
    if (!this.#taxes.has(tax)) return { ...request, status: this.#products.has(sku) ? 'refused' : 422 };
    if (this.#products.has(sku)) return { ...request, status: 409 };
    const product = { ...fields, categories: new Map() };
    this.#products.set(sku, product);
    return { ...request, status: 201, answer: this.#shownProduct(product) };
  }

  #createCustomer(): Operation {
    const number = this.#random.integer(1, 9);
    const contacts = this.#random.chance(0.5)
      ? [
          { no: 2, name: 'Two', phone: '030' },
          { no: 1, name: 'One' },
        ]
      : [];
    const address = { street: 'Main 1', city: this.#random.pick(['Köln', 'Łódź']) };
    const fields = {
      number,
      name: `Customer ${number}`,
      email: `c${number}@example.com`,
      address,
      creditLimit: this.#random.decimal(9000, 2),
    };
    const body = contacts.length === 0 ? fields : { ...fields, CustomerContact: contacts };
    const request = { method: 'POST', target: '/sales/Customer', body } as const;
    if (this.#customers.has(number)) return { ...request, status: 409 };
    const held = new Map(contacts.map((each) => [each.no, { name: each.name, phone: each.phone ?? null }]));
    const customer: Customer = { ...fields, address: { ...address, zip: null }, tags: null, known: null, contacts: held };
    this.#customers.set(number, customer);
    return { ...request, status: 201 };
  }

  #addContact(): Operation {
    const number = this.#random.pickOr([...this.#customers.keys()], 99);
    const no = this.#random.integer(1, 4);
    const request = {
      method: 'POST',
      target: `/sales/Customer/${number}/CustomerContact/Contact`,
      body: { no, name: `Contact ${no}` },
    } as const;
    const customer = this.#customers.get(number);
    if (customer === undefined) return { ...request, status: 404 };
    if (customer.contacts.has(no)) return { ...request, status: 409 };
    customer.contacts.set(no, { name: `Contact ${no}`, phone: null });
    return { ...request, status: 201, answer: { no, name: `Contact ${no}`, phone: null, __path__: contactPath(number, no) } };
  }

  #changeProduct(): Operation {
    const sku = this.#random.pickOr([...this.#products.keys()], 'p99');
    const changes = this.#random.pick([
      { price: this.#random.decimal(150, 3) },
      { stock: this.#random.integer(0, 80) },
      { pack: { weight: this.#random.decimal(20, 3), units: this.#random.pick([1, 2, 5]) } },
      { pack: null },
      { name: `Renamed ${this.#random.integer(1, 5)}`, steps: [this.#random.decimal(9, 2)] },
      { tax: this.#random.pickOr([...this.#taxes.keys()], 'nowhere', 0.2) },
    ]);
    const request = { method: 'PUT', target: `/sales/Product/${sku}`, body: changes } as const;
    const product = this.#products.get(sku);
    if (product === undefined) return { ...request, status: 404 };
    if ('tax' in changes && changes.tax !== undefined && !this.#taxes.has(changes.tax)) return { ...request, status: 422 };
    Object.assign(product, changes);
    this.#noteChange(product);
    return { ...request, status: 200, answer: this.#shownProduct(product) };
  }

  #noteChange({ sku, price, stock }: Product): void {
    this.#changes.push({ sku, price, stock });
  }

  #changeTax(): Operation {
    const code = this.#random.pickOr([...this.#taxes.keys()], 'nowhere');
    const percent = this.#random.decimal(25, 2);
    const request = { method: 'PUT', target: `/sales/TaxRate/${code}`, body: { percent } } as const;
    if (!this.#taxes.has(code)) return { ...request, status: 404 };
    this.#taxes.set(code, percent);
    return { ...request, status: 200, answer: { code, percent } };
  }

  #changeCustomer(): Operation {
    const number = this.#random.pickOr([...this.#customers.keys()], 99);
    const changes = this.#random.pick([
      { creditLimit: this.#random.decimal(9000, 2) },
      { tags: ['new', 'ünïcode'], name: `Customer ${this.#random.integer(1, 99)}` },
      { address: { street: 'Side 2', city: 'Bonn', zip: '53111' } },
      { owed: '1' },
    ]);
    const request = { method: 'PATCH', target: `/sales/Customer/${number}`, body: changes } as const;
    const customer = this.#customers.get(number);
    if (customer === undefined) return { ...request, status: 404 };
    // Where it is owed already, that is what was read, which may be sent back.
    if ('owed' in changes) return { ...request, status: this.#owed(number).compare(1) === 0 ? 200 : 422 };
    Object.assign(customer, changes);
    customer.known = customer.name;
    return { ...request, status: 200, answer: this.#shownCustomer(customer) };
  }

  #newLine(product: string): { readonly body: Readonly<Record<string, unknown>>; readonly line: Line } {
    const quantity = this.#random.integer(1, 9);
    const price = this.#random.chance(0.4) ? this.#random.decimal(80, 3) : undefined;
    const off = this.#random.chance(0.4) ? this.#random.pick([this.#random.decimal(40, 2), '12.5', '12.50']) : undefined;
    const body = { product, quantity, ...(price === undefined ? {} : { price }), ...(off === undefined ? {} : { off }) };
    const taken = price ?? this.#products.get(product)?.price ?? '0';
    return { body, line: { product, quantity, price: taken, off: off ?? '0', serials: new Map() } };
  }

  #createInvoice(): Operation {
    const no = this.#random.integer(1, 40);
    const date = this.#date();
    const discount = this.#random.chance(0.3) ? this.#random.decimal(50, 2) : undefined;
    const products = [...this.#products.keys()];
    const made =
      products.length === 0 ? [] : Array.from({ length: this.#random.integer(0, 3) }, () => this.#newLine(this.#random.pick(products)));
    const lines = made.map(({ body }, index) => ({
      no: index + 1,
      ...body,
      ...(index === 0 ? { LineSerial: [{ number: 's1', note: 'x' }] } : {}),
    }));
    const customer = this.#random.chance(0.6) ? this.#random.pickOr([...this.#customers.keys()], 99, 0.02) : undefined;
    const isLinked = customer !== undefined && this.#customers.has(customer);
    const body = {
      no,
      date,
      ...(discount === undefined ? {} : { discount }),
      ...(lines.length === 0 ? {} : { InvoiceLine: lines }),
      ...(isLinked ? { CustomerInvoice: [{ number: customer }] } : {}),
    };
    const request = { method: 'POST', target: '/sales/Invoice', body } as const;
    if (this.#invoices.has(no)) return { ...request, status: 409 };
    const held = new Map(made.map(({ line }, index) => [index + 1, line]));
    held.get(1)?.serials.set('s1', 'x');
    this.#invoices.set(no, {
      no,
      date,
      discount: discount ?? '0',
      state: 'open',
      customer: isLinked ? customer : undefined,
      lines: held,
      payments: new Map(),
      reminders: new Map(),
    });
    return { ...request, status: 201 };
  }

  #addLine(): Operation {
    const number = this.#random.pickOr([...this.#invoices.keys()], 99);
    const no = this.#random.integer(1, 8);
    const product = this.#random.pickOr([...this.#products.keys()], 'p99', 0.1);
    const { body, line } = this.#newLine(product);
    const isEmpty = this.#random.chance(0.1);
    const sent = isEmpty ? { no, ...body, quantity: 0 } : { no, ...body };
    const request = { method: 'POST', target: `/sales/Invoice/${number}/InvoiceLine/Line`, body: sent } as const;
    const invoice = this.#invoices.get(number);
    if (!this.#products.has(product) || isEmpty) return { ...request, status: invoice === undefined ? 'refused' : 422 };
    if (invoice === undefined) return { ...request, status: 404 };
    if (invoice.lines.has(no)) return { ...request, status: 409 };
    invoice.lines.set(no, line);
    return { ...request, status: 201, answer: this.#shownLine(number, no, line) };
  }

  #changeLine(): Operation {
    const [number, invoice] = this.#someInvoice();
    const no = this.#random.pickOr([...(invoice?.lines.keys() ?? [])], 77);
    const changes = this.#random.pick([
      { quantity: this.#random.integer(-1, 12) },
      { off: this.#random.decimal(60, 3) },
      { price: this.#random.decimal(70, 4), quantity: this.#random.integer(1, 5) },
    ]);
    const request = { method: 'PUT', target: `/sales/Invoice/${number}/InvoiceLine/Line/${no}`, body: changes } as const;
    const line = invoice?.lines.get(no);
    if (line === undefined) return { ...request, status: 404 };
    if ('quantity' in changes && changes.quantity !== undefined && changes.quantity <= 0) return { ...request, status: 422 };
    Object.assign(line, changes);
    return { ...request, status: 200, answer: this.#shownLine(number, no, line) };
  }

  #removeLine(): Operation {
    const [number, invoice] = this.#someInvoice();
    const no = this.#random.pickOr([...(invoice?.lines.keys() ?? [])], 77);
    const request = { method: 'DELETE', target: `/sales/Invoice/${number}/InvoiceLine/Line/${no}` } as const;
    return { ...request, status: invoice?.lines.delete(no) === true ? 200 : 404 };
  }

  #addSerial(): Operation {
    const [number, invoice] = this.#someInvoice();
    const no = this.#random.pickOr([...(invoice?.lines.keys() ?? [])], 77);
    const serial = this.#random.pick(['s1', 's/2', 's 3', '%41']);
    const target = `/sales/Invoice/${number}/InvoiceLine/Line/${no}/LineSerial/Serial`;
    const request = { method: 'POST', target, body: { number: serial } } as const;
    const line = invoice?.lines.get(no);
    if (line === undefined) return { ...request, status: 404 };
    if (line.serials.has(serial)) return { ...request, status: 409 };
    line.serials.set(serial, null);
    return { ...request, status: 201, answer: { number: serial, note: null, __path__: serialPath(number, no, serial) } };
  }

  #changeInvoice(): Operation {
    const [number, invoice] = this.#someInvoice();
    const changes = this.#random.pick([
      { discount: this.#random.decimal(60, 2) },
      { date: this.#date() },
      { state: this.#random.pick(['open', 'paid'] as const) },
      { state: 'lost' },
    ]);
    const request = { method: 'PUT', target: `/sales/Invoice/${number}`, body: changes } as const;
    if ('state' in changes && changes.state === 'lost') return { ...request, status: 422 };
    if (invoice === undefined) return { ...request, status: 404 };
    const after = { ...invoice, ...changes };
    if (after.state === 'paid' && Number(after.discount) > 30) return { ...request, status: 422 };
    Object.assign(invoice, changes);
    return { ...request, status: 200, answer: this.#shownInvoice(invoice) };
  }

  #removeInvoice(): Operation {
    const [number, invoice] = this.#someInvoice();
    const request = { method: 'DELETE', target: `/sales/Invoice/${number}` } as const;
    if (invoice === undefined) return { ...request, status: 404 };
    const answer = this.#shownInvoice(invoice);
    this.#invoices.delete(number);
    return { ...request, status: 200, answer };
  }

  #removeProduct(): Operation {
    const sku = this.#random.pickOr([...this.#products.keys()], 'p99');
    const request = { method: 'DELETE', target: `/sales/Product/${sku}` } as const;
    if (!this.#products.has(sku)) return { ...request, status: 404 };
    const isSold = [...this.#invoices.values()].some(({ lines }) => [...lines.values()].some(({ product }) => product === sku));
    if (isSold) return { ...request, status: 409 };
    this.#products.delete(sku);
    return { ...request, status: 200 };
  }

  #categorize(): Operation {
    const sku = this.#random.pickOr([...this.#products.keys()], 'p99');
    const code = this.#random.pickOr([...this.#categories.keys()], 'nothing');
    const link = { rank: this.#random.integer(1, 9), ...(this.#random.chance(0.5) ? { since: this.#date() } : {}) };
    const body = { Product: sku, Category: code, ...link };
    const request = { method: 'POST', target: '/sales/ProductCategory', body } as const;
    const product = this.#products.get(sku);
    if (product === undefined || !this.#categories.has(code)) return { ...request, status: 422 };
    if (product.categories.has(code))
      return { ...request, status: 409, answer: { detail: 'This Product and this Category are already linked by ProductCategory.' } };
    product.categories.set(code, { since: null, ...link });
    return { ...request, status: 201 };
  }

  #uncategorize(): Operation {
    const product = this.#random.pickOr<Product | undefined>([...this.#products.values()], undefined);
    const code = this.#random.pickOr([...(product?.categories.keys() ?? [])], 'nothing');
    const target = `/sales/Product/${product?.sku ?? 'p99'}/ProductCategory/Category/${encodeURIComponent(code)}`;
    return { method: 'DELETE', target, status: product?.categories.delete(code) === true ? 200 : 404 };
  }

  #createPeriod(): Operation {
    const year = this.#random.integer(2020, 2026);
    const margin = this.#random.chance(0.5) ? this.#random.pick(margins) : null;
    const body = { name: `y${this.#random.integer(1, 20)}`, from: `${year}-01-01`, to: `${year}-12-31`, margin };
    const request = { method: 'POST', target: '/ledger/Period', body } as const;
    const isTaken = this.#periods.has(body.name) || [...this.#periods.values()].some(({ from }) => from === body.from);
    if (margin !== null && !this.#hasMargin(margin)) return { ...request, status: isTaken ? 'refused' : 422 };
    if (isTaken) return { ...request, status: 409 };
    const { name, ...period } = body;
    this.#periods.set(name, { ...period, closed: false });
    return { ...request, status: 201, answer: { ...body, closed: false } };
  }

  #sell(): Operation {
    const [no, number] = [this.#random.integer(1, 60), this.#random.pickOr([...this.#customers.keys()], 99)];
    const items = Array.from({ length: this.#random.integer(1, 4) }, () => ({
      sku: this.#random.pickOr([...this.#products.keys()], 'p99'),
      quantity: this.#random.integer(1, 12),
    }));
    const date = this.#date();
    const request = { method: 'POST', target: '/sales/sell', body: { no, customer: number, date, items } } as const;
    const refused = (detail?: string): Operation => ({
      ...request,
      status: 422,
      answer: { code: 'dataflow-failed', ...(detail === undefined ? {} : { detail }) },
    });
    const customer = this.#customers.get(number);
    if (customer === undefined) return refused('There is no such customer.');
    if (this.#invoices.has(no)) return { ...request, status: 409 };
    const left = new Map([...this.#products.values()].map(({ sku, stock }) => [sku, stock]));
    for (const { sku, quantity } of items) {
      const stock = left.get(sku);
      if (stock === undefined) return refused(`There is no product ${sku}.`);
      if (stock < quantity) return refused(`There is not enough of ${this.#products.get(sku)?.name ?? ''}.`);
      left.set(sku, stock - quantity);
    }
    const lines = items.map(({ sku, quantity }, index): [number, Line] => {
      return [index + 1, { product: sku, quantity, price: this.#products.get(sku)?.price ?? '0', off: '0', serials: new Map() }];
    });
    const invoice: Invoice = {
      no,
      date,
      discount: '0',
      state: 'open',
      customer: number,
      lines: new Map(lines),
      payments: new Map(),
      reminders: new Map(),
    };
    const credit = Fraction.of(customer.creditLimit).minus(this.#owed(number)).minus(this.#gross(invoice));
    if (credit.compare(0) < 0) return refused('That is more than the customer may owe.');
    for (const { sku, quantity } of items) {
      const product = this.#products.get(sku);
      if (product === undefined) continue;
      product.stock -= quantity;
      this.#noteChange(product);
    }
    this.#invoices.set(no, invoice);
    return { ...request, status: 200, answer: { no, lines: items.length, gross: this.#gross(invoice), left: credit } };
  }

  #pay(): Operation {
    const [number, invoice] = this.#someInvoice();
    const due = invoice === undefined ? Fraction.of(1) : this.#due(invoice);
    const amount = this.#random.chance(0.4) && due.compare(0) > 0 ? due.text() : this.#random.decimal(90, 2);
    const [no, method] = [this.#random.integer(1, 6), this.#random.pick(['bank', 'cash'])];
    const at = this.#random.pick(['2026-03-01T10:00:00Z', '2026-03-01T10:00:00.5Z', '2026-03-01T12:00:00']);
    return this.#paid({ invoice: number, no, amount, at, method });
  }

  #paid(body: {
    readonly invoice: number;
    readonly no: number;
    readonly amount: string;
    readonly at: string;
    readonly method: string;
  }): Operation {
    const { invoice: number, no, amount, at, method } = body;
    const request = { method: 'POST', target: '/sales/pay', body } as const;
    const invoice = this.#invoices.get(number);
    const due = invoice === undefined ? Fraction.of(1) : this.#due(invoice);
    if (invoice === undefined) return { ...request, status: 422, answer: { detail: 'There is no such invoice.' } };
    if (due.compare(amount) < 0) return { ...request, status: 422, answer: { detail: 'That is too much.' } };
    if (Fraction.of(amount).compare(0) <= 0) return { ...request, status: 422, answer: { code: 'attributes-invalid' } };
    const left = due.minus(amount);
    const entries = this.#entries.get(method);
    if (invoice.payments.has(no) || entries?.has(number * 100 + no) === true) return { ...request, status: 409 };
    // The discount of what becomes paid is checked.
    if (left.compare(0) === 0 && Number(invoice.discount) > 30) return { ...request, status: 422 };
    invoice.payments.set(no, { amount, at, method });
    entries?.set(number * 100 + no, { amount, text: `invoice ${number}` });
    if (left.compare(0) === 0) invoice.state = 'paid';
    return {
      ...request,
      status: 200,
      answer: { invoice: number, due: left, state: invoice.state, half: left.over(2), third: left.over(3).significant(34) },
    };
  }

  #remind(): Operation {
    const [before, day] = [this.#date(), this.#date()];
    const found = [...this.#invoices.values()].filter(({ state, date }) => state === 'open' && date < before).sort(by('no'));
    for (const each of found) each.reminders.set(each.reminders.size + 1, { fee: this.#due(each).times('0.015').round(2), day });
    return { method: 'POST', target: '/sales/remind', body: { before, day }, status: 200, answer: found.map(({ no }) => no) };
  }

  #reprice(): Operation {
    const category = this.#random.pickOr([...this.#categories.keys()], 'nothing');
    const percent = this.#random.pick(['2.5', '-3', '0.75', '10']);
    const factor = Fraction.of(1).plus(Fraction.of(percent).over(hundred));
    const found = [...this.#products.values()].filter(({ categories }) => categories.has(category)).sort(by('sku'));
    for (const product of found) {
      product.price = Fraction.of(product.price).times(factor).round(2);
      this.#noteChange(product);
    }
    const answer = found.map(({ sku, price }) => ({ sku, price }));
    return { method: 'POST', target: '/sales/reprice', body: { category, percent }, status: 200, answer };
  }

  #revenue(): readonly object[] {
    const lines = [...this.#invoices.values()].flatMap((each) => [...each.lines.values()]);
    return [...new Set(lines.map(({ product }) => product))].sort().map((sku) => {
      const own = lines.filter(({ product }) => product === sku);
      const prices = own.map(({ price }) => Fraction.of(price));
      const dearest = prices.reduce((most, each) => (each.compare(most) > 0 ? each : most));
      return {
        sku,
        quantity: own.reduce((total, each) => total + each.quantity, 0),
        amount: sum(own.map((each) => this.#amount(each))),
        dearest,
      };
    });
  }

  #statement(): Operation {
    const number = this.#random.pickOr([...this.#customers.keys()], 99);
    const customer = this.#customers.get(number);
    const open = [...this.#invoices.values()].filter((each) => each.customer === number && this.#due(each).compare(0) > 0).sort(by('no'));
    const answer =
      customer === undefined ? [] : [{ ...this.#shownCustomer(customer), CustomerInvoice: open.map((each) => this.#shownInvoice(each)) }];
    return { method: 'POST', target: '/sales/statement', body: { customer: number }, status: 200, answer };
  }

  #raise(): Operation {
    const number = this.#random.pickOr([...this.#customers.keys()], 99);
    const by = this.#random.pick<string | number>([5, 2.25, '1.25', '-3', 'much']);
    const request = { method: 'POST', target: '/sales/raise', body: { customer: number, by } } as const;
    const customer = this.#customers.get(number);
    if (customer === undefined) return { ...request, status: 422, answer: { detail: 'There is no such customer.' } };
    if (by === 'much') return { ...request, status: 422 };
    customer.creditLimit = Fraction.of(customer.creditLimit).plus(by);
    customer.known = customer.name;
    return { ...request, status: 200, answer: customer.creditLimit };
  }

  #freight(): Operation {
    const [sku, most] = [this.#random.pickOr([...this.#products.keys()], 'p99'), this.#random.integer(5, 40)];
    const request = { method: 'POST', target: '/sales/freight', body: { sku, most } } as const;
    const product = this.#products.get(sku);
    if (product === undefined) return { ...request, status: 422, answer: { detail: 'There is no such product.' } };
    const weight = product.pack === null ? null : Fraction.of(product.pack.weight);
    if (weight !== null && weight.compare(most) > 0) return { ...request, status: 422, answer: { detail: 'That is too heavy.' } };
    return {
      ...request,
      status: 200,
      answer: { boxed: weight?.plus(1) ?? null, net: weight?.minus(1) ?? null, total: product.steps === null ? 0 : sum(product.steps) },
    };
  }

  #reductions(): readonly object[] {
    const lines = [...this.#invoices.values()].flatMap((each) => [...each.lines.values()]);
    const texts = new Set(lines.map(({ off }) => Fraction.of(off).text()));
    return [...texts]
      .map((off) => Fraction.of(off))
      .sort((one, other) => one.compare(other))
      .map((off) => ({ off }));
  }

  /** Many pay a part of the same invoice. */
  together(): readonly Operation[] {
    const invoice = [...this.#invoices.values()].find((each) => this.#due(each).compare(1) > 0);
    const numbers = invoice === undefined ? [] : Array.from({ length: 12 }, (_, index) => 50 + index);
    return numbers.map((no) => this.#paid({ invoice: invoice?.no ?? 0, no, amount: '0.07', at: '2026-03-02T10:00:00Z', method: 'bank' }));
  }

  #someInvoice(): readonly [number: number, invoice: Invoice | undefined] {
    const number = this.#random.pickOr([...this.#invoices.keys()], 99);
    return [number, this.#invoices.get(number)];
  }

  #date(): string {
    return `2026-${String(this.#random.integer(1, 12)).padStart(2, '0')}-${String(this.#random.integer(1, 28)).padStart(2, '0')}`;
  }
}

function by<K extends string>(key: K): (one: Readonly<Record<K, string | number>>, other: Readonly<Record<K, string | number>>) => number {
  return (one, other) => (one[key] < other[key] ? -1 : one[key] > other[key] ? 1 : 0);
}

/** Texts by code point, numbers by value. */
function byKey([one]: readonly [string | number, unknown], [other]: readonly [string | number, unknown]): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function linePath(invoice: number, line: number): string {
  return `path://sales$Invoice/${invoice}/sales$InvoiceLine/sales$Line/${line}`;
}

function serialPath(invoice: number, line: number, serial: string): string {
  return `${linePath(invoice, line)}/sales$LineSerial/sales$Serial/${encodeURIComponent(serial)}`;
}

function contactPath(customer: number, contact: number): string {
  return `path://sales$Customer/${customer}/sales$CustomerContact/sales$Contact/${contact}`;
}

function shownContacts({ number, contacts }: Customer): readonly object[] {
  return [...contacts].sort(byKey).map(([no, each]) => ({ no, ...each, __path__: contactPath(number, no) }));
}

function shownSerials(invoice: number, line: number, serials: ReadonlyMap<string, string | null>): readonly object[] {
  return [...serials].sort(byKey).map(([number, note]) => ({ number, note, __path__: serialPath(invoice, line, number) }));
}

function shownPayments({ no: invoice, payments }: Invoice): readonly object[] {
  const path = `path://sales$Invoice/${invoice}/sales$InvoicePayment/sales$Payment`;
  return [...payments].sort(byKey).map(([no, each]) => ({ no, ...each, __path__: `${path}/${no}` }));
}

function shownReminders({ no, reminders }: Invoice): readonly object[] {
  const path = `path://sales$Invoice/${no}/sales$InvoiceReminder/sales$Reminder`;
  return [...reminders].sort(byKey).map(([level, each]) => ({ level, ...each, __path__: `${path}/${level}` }));
}

function shownEntries(account: string, entries: ReadonlyMap<number, object>): readonly object[] {
  const path = `path://ledger$Account/${account}/ledger$AccountEntry/ledger$Entry`;
  return [...entries].sort(byKey).map(([no, each]) => ({ no, ...each, __path__: `${path}/${no}` }));
}

function withoutReminders(row: object): object {
  return Object.fromEntries(Object.entries(row).filter(([key]) => key !== 'reminders'));
}
