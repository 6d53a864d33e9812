// Requests that link what there is, change links and cut them, and a report along them.

import type { Operation } from '../harness.ts';
import type { Random } from '../random.ts';
import { posted } from './places.ts';
import { ok, shownProduct, tagged } from './shown.ts';
import { type Product, shelvesOf, type World } from './world.ts';

export class LinkRequests {
  readonly #random: Random;
  readonly #world: World;

  constructor(random: Random, world: World) {
    this.#random = random;
    this.#world = world;
  }

  supply(): Operation {
    const Supplier = this.#random.pickOr([...this.#world.suppliers.keys()], 99);
    const Product = this.#random.pickOr([...this.#world.products.keys()], 'p99');
    const link = { Supplier, Product, Price: this.#random.decimal(90, 3), ...(this.#random.chance(0.5) ? { Days: 7 } : {}) };
    const request = posted('Wh.Stock/Supplies', link);
    if (!this.#world.suppliers.has(Supplier) || !this.#world.products.has(Product)) return { ...request, status: 422 };
    if (this.#world.supplies.some((each) => each.Supplier === Supplier && each.Product === Product)) return { ...request, status: 409 };
    this.#world.supplies.push({ Days: 3, ...link });
    return { ...request, status: 200, answer: ok(tagged('Wh.Stock/Supplies', { Days: 3, ...link })) };
  }

  unsupply(): Operation {
    const link = this.#random.pickOr(this.#world.supplies, { Supplier: 98, Product: 'p98', Price: '0', Days: 0 });
    const target = `/api/Wh.Stock/Supplier/${link.Supplier}/Supplies/Product/${link.Product}`;
    if (!this.#world.supplies.includes(link)) return { method: 'DELETE', target, status: 404 };
    this.#world.supplies = this.#world.supplies.filter((each) => each !== link);
    return { method: 'DELETE', target, status: 200 };
  }

  /** The attributes of a link are changed where it leads. */
  changeSupply(): Operation {
    const link = this.#random.pickOr(this.#world.supplies, { Supplier: 98, Product: 'p98', Price: '0', Days: 0 });
    const changes = { Price: this.#random.decimal(90, 2) };
    const target = `/api/Wh.Stock/Supplier/${link.Supplier}/Supplies/Product/${link.Product}`;
    const request = { method: 'PUT', target, body: { 'Wh.Stock/Product': { '@link': changes } } } as const;
    if (!this.#world.supplies.includes(link)) return { ...request, status: 404 };
    Object.assign(link, changes);
    return { ...request, status: 200 };
  }

  manage(): Operation {
    const Site = this.#random.pickOr([...this.#world.sites.keys()], 'nowhere');
    const link = { Worker: this.#someWorker(), Site, ...(this.#random.chance(0.5) ? { Since: '2024-02-29' } : {}) };
    const request = posted('Wh.Stock/Manages', link);
    if (!this.#world.workers.has(link.Worker) || !this.#world.sites.has(Site)) return { ...request, status: 422 };
    if (this.#world.manages.some((each) => each.Worker === link.Worker || each.Site === Site)) return { ...request, status: 409 };
    this.#world.manages.push({ Since: null, ...link });
    return { ...request, status: 200, answer: ok(tagged('Wh.Stock/Manages', { Since: null, ...link })) };
  }

  mentor(): Operation {
    const link = { Mentor: this.#someWorker(), Novice: this.#someWorker(), Hours: this.#random.decimal(9, 1) };
    const request = posted('Wh.Stock/Mentors', link);
    if (!this.#world.workers.has(link.Mentor) || !this.#world.workers.has(link.Novice)) return { ...request, status: 422 };
    if (this.#world.mentors.some(({ Novice }) => Novice === link.Novice)) return { ...request, status: 409 };
    this.#world.mentors.push(link);
    return { ...request, status: 200, answer: ok(tagged('Wh.Stock/Mentors', link)) };
  }

  inspect(): Operation {
    const place = this.#random.pickOr([...this.#world.bins().map(({ bin }) => bin.Tag)], 'nowhere');
    const link = { Inspector: this.#someWorker(), Place: place };
    const request = posted('Wh.Stock/Inspects', { ...link, At: '2026-01-31T09:30:00+02:00' });
    if (!this.#world.workers.has(link.Inspector) || this.#world.bin(place) === undefined) return { ...request, status: 422 };
    if (this.#world.inspects.some(({ Inspector, Place }) => Inspector === link.Inspector && Place === place))
      return { ...request, status: 409 };
    const made = { ...link, At: '2026-01-31T07:30:00Z' };
    this.#world.inspects.push(made);
    return { ...request, status: 200, answer: ok(tagged('Wh.Stock/Inspects', made)) };
  }

  mark(): Operation {
    const shelves = [...this.#world.sites.values()].flatMap((site) => shelvesOf(site).map(({ path }) => path));
    const link = {
      Shelf: this.#random.pickOr(shelves, 'path://Wh.Stock$Site/Z'),
      Label: this.#random.pickOr([...this.#world.labels.keys()], 'none'),
    };
    const request = posted('Wh.Stock/Marked', link);
    if (!shelves.includes(link.Shelf) || !this.#world.labels.has(link.Label)) return { ...request, status: 422 };
    if (this.#world.marked.some(({ Shelf, Label }) => Shelf === link.Shelf && Label === link.Label)) return { ...request, status: 409 };
    this.#world.marked.push(link);
    return { ...request, status: 200, answer: ok(tagged('Wh.Stock/Marked', link)) };
  }

  /** Where a supplier leads to its products: one that is there, or a new one. */
  supplyBelow(): Operation {
    const Supplier = this.#random.pickOr([...this.#world.suppliers.keys()], 99);
    const Sku = `p${this.#random.integer(1, 12)}`;
    const known = this.#world.products.get(Sku);
    const made = { Name: 'made below', Pack: { Weight: this.#random.decimal(9, 2), Units: 4 } };
    const link = this.#random.chance(0.1) ? {} : { Price: this.#random.decimal(90, 3) };
    const body = { 'Wh.Stock/Product': { Sku, ...(known === undefined ? made : {}), '@link': link } };
    const request = { method: 'POST', target: `/api/Wh.Stock/Supplier/${Supplier}/Supplies/Product`, body } as const;
    const isThere = this.#world.supplies.some((each) => each.Supplier === Supplier && each.Product === Sku);
    if (!this.#world.suppliers.has(Supplier)) return { ...request, status: link.Price === undefined ? 'refused' : 404 };
    if (link.Price === undefined) return { ...request, status: isThere ? 'refused' : 422, answer: [{ status: 'error' }] };
    if (isThere) return { ...request, status: 409 };
    const product: Product = known ?? { Sku, Ean: null, Cost: '1.50', Steps: null, Extra: null, Family: 'other', ...made };
    this.#world.products.set(Sku, product);
    this.#world.supplies.push({ Supplier, Product: Sku, Price: link.Price, Days: 3 });
    const answer = ok({ ...shownProduct(this.#world, product), '@link': { Price: link.Price, Days: 3 } });
    return { ...request, status: 200, answer };
  }

  inspections(): Operation {
    const Inspector = this.#someWorker();
    const own = this.#world.inspects.filter((each) => each.Inspector === Inspector);
    const rows = own.map(({ Place, At }) => {
      const place = this.#world.bin(Place);
      const Room = place === undefined ? null : this.#world.free(place.shelf);
      return { Tag: Place, Room, Name: this.#world.workers.get(Inspector)?.Name, At };
    });
    const answer = rows.sort((one, other) => (one.Tag < other.Tag ? -1 : 1));
    return { ...posted('Wh.Stock/Inspections', { Inspector }), status: 200, answer };
  }

  #someWorker(): string {
    return this.#random.pickOr([...this.#world.workers.keys()], '0190a5c4-7a4e-4cc3-9a3e-1f6f0c8d2b99');
  }
}
