// What the warehouse holds, and what is computed from it, in plain code.

import { Fraction, sum } from '../decimals.ts';

/** However it was sent, as a text or as a number. */
export type Decimal = string | Fraction;

export interface Lot {
  Sku: string;
  Qty: number;
  Received: string;
}

export interface Bin {
  readonly Tag: string;
  readonly Slot: string;
  Spot: { X: Decimal; Y: Decimal } | null;
  Limits: readonly Decimal[] | null;
  readonly lots: Map<number, Lot>;
}

export interface Shelf {
  readonly No: number;
  MaxLoad: Decimal;
  readonly bins: Map<string, Bin>;
}

export interface Aisle {
  readonly No: number;
  Zone: string;
  readonly shelves: Map<number, Shelf>;
}

export interface Site {
  readonly Code: string;
  City: string;
  Opened: string;
  OpensAt: string | null;
  readonly aisles: Map<number, Aisle>;
}

export interface Product {
  readonly Sku: string;
  Name: string;
  Ean: string | null;
  Cost: Decimal;
  Pack: { Weight: Decimal; Units: number };
  Steps: readonly Decimal[] | null;
  Extra: object | null;
  Family: string;
}

export interface Line {
  readonly Sku: string;
  Qty: number;
  Price: Decimal | null;
  readonly slips: Map<number, string>;
}

export interface Order {
  readonly No: number;
  Day: string;
  At: string;
  Slot: string | null;
  State: string;
  readonly lines: Map<number, Line>;
}

export interface Customer {
  readonly No: number;
  Name: string;
  Discount: Decimal;
  Terms: object | null;
}

/** A place on a shelf, with everything above it. */
export interface Placed {
  readonly site: Site;
  readonly aisle: Aisle;
  readonly shelf: Shelf;
  readonly bin: Bin;
}

/** Links stand in the order in which they were made. */
export class World {
  readonly sites = new Map<string, Site>();
  readonly products = new Map<string, Product>();
  readonly suppliers = new Map<number, { Name: string; Mail: string | null }>();
  readonly workers = new Map<string, { Name: string; Wage: Decimal }>();
  readonly labels = new Map<string, string>();
  readonly movements: { Kind: string; What: string | null; Qty: number | null }[] = [];
  readonly customers = new Map<number, Customer>();
  readonly orders = new Map<number, Order>();
  readonly carriers = new Map<string, Decimal>();
  readonly pallets = new Map<string, { Weight: Decimal; site: string | null }>();
  supplies: { Supplier: number; Product: string; Price: Decimal; Days: number }[] = [];
  manages: { Worker: string; Site: string; Since: string | null }[] = [];
  mentors: { Mentor: string; Novice: string; Hours: Decimal }[] = [];
  inspects: { Inspector: string; Place: string; At: string }[] = [];
  marked: { Shelf: string; Label: string }[] = [];
  placed: { Customer: number; Order: number }[] = [];

  bins(): readonly Placed[] {
    return sorted(this.sites).flatMap(([, site]) => binsOf(site));
  }

  bin(tag: string): Placed | undefined {
    return this.bins().find(({ bin }) => bin.Tag === tag);
  }

  lots(): readonly (Placed & { readonly no: number; readonly lot: Lot })[] {
    return this.bins().flatMap((place) => [...place.bin.lots].map(([no, lot]) => ({ ...place, no, lot })));
  }

  // What is computed.

  cost(sku: string): Fraction {
    return Fraction.of(this.products.get(sku)?.Cost ?? 0);
  }

  each(sku: string): Fraction {
    const { Weight, Units } = this.products.get(sku)?.Pack ?? { Weight: 0, Units: 1 };
    return Fraction.of(Weight).over(Units).round(4);
  }

  lotLoad({ Sku, Qty }: Lot): Fraction {
    return this.each(Sku).times(Qty).round(3);
  }

  lotValue({ Sku, Qty }: Lot): Fraction {
    return this.cost(Sku).times(Qty);
  }

  load(bins: readonly Bin[]): Fraction {
    return sum(bins.flatMap(({ lots }) => [...lots.values()].map((lot) => this.lotLoad(lot))));
  }

  value(bins: readonly Bin[]): Fraction {
    return sum(bins.flatMap(({ lots }) => [...lots.values()].map((lot) => this.lotValue(lot))));
  }

  free(shelf: Shelf): Fraction {
    return Fraction.of(shelf.MaxLoad).minus(this.load([...shelf.bins.values()]));
  }

  lineAmount({ Qty, Price }: Line): Fraction | null {
    return Price === null ? null : Fraction.of(Price).times(Qty);
  }

  customerOf(order: number): Customer | undefined {
    return this.customers.get(this.placed.find(({ Order }) => Order === order)?.Customer ?? -1);
  }

  net({ lines }: Order): Fraction {
    return sum([...lines.values()].map((line) => this.lineAmount(line) ?? 0));
  }

  gross(order: Order): Fraction {
    const rest = Fraction.of(1).minus(Fraction.of(this.customerOf(order.No)?.Discount ?? 0).over(100));
    return this.net(order).times(rest).times('1.19').round(2);
  }

  ordersOf(customer: number): readonly Order[] {
    const own = this.placed.filter((each) => each.Customer === customer).map(({ Order }) => Order);
    return [...this.orders.values()].filter(({ No }) => own.includes(No)).sort((one, other) => one.No - other.No);
  }

  // What goes.

  /** What is not among the instances any more has no links, and nothing stands under it. */
  cutLinks(): void {
    const tags = new Set(this.bins().map(({ bin }) => bin.Tag));
    const shelves = new Set([...this.sites.values()].flatMap((site) => shelvesOf(site).map(({ path }) => path)));
    for (const pallet of this.pallets.values()) if (pallet.site !== null && !this.sites.has(pallet.site)) pallet.site = null;
    this.supplies = this.supplies.filter(({ Supplier, Product }) => this.suppliers.has(Supplier) && this.products.has(Product));
    this.manages = this.manages.filter(({ Worker, Site }) => this.workers.has(Worker) && this.sites.has(Site));
    this.mentors = this.mentors.filter(({ Mentor, Novice }) => this.workers.has(Mentor) && this.workers.has(Novice));
    this.inspects = this.inspects.filter(({ Inspector, Place }) => this.workers.has(Inspector) && tags.has(Place));
    this.marked = this.marked.filter(({ Shelf, Label }) => shelves.has(Shelf) && this.labels.has(Label));
    this.placed = this.placed.filter(({ Customer, Order }) => this.customers.has(Customer) && this.orders.has(Order));
  }

  note(Kind: string, What: string | null = null, Qty: number | null = null): void {
    this.movements.push({ Kind, What, Qty });
  }
}

export function binsOf(site: Site): readonly Placed[] {
  return shelvesOf(site).flatMap(({ aisle, shelf }) => sorted(shelf.bins).map(([, bin]) => ({ site, aisle, shelf, bin })));
}

export function shelvesOf(site: Site): readonly { readonly aisle: Aisle; readonly shelf: Shelf; readonly path: string }[] {
  return sorted(site.aisles).flatMap(([, aisle]) =>
    sorted(aisle.shelves).map(([, shelf]) => ({ aisle, shelf, path: shelfPath(site.Code, aisle.No, shelf.No) })),
  );
}

/** Texts by code point, numbers by value. */
export function sorted<K extends string | number, V>(map: ReadonlyMap<K, V>): readonly (readonly [K, V])[] {
  return [...map].sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
}

export function aislePath(site: string, aisle: number): string {
  return `path://Wh.Stock$Site/${encodeURIComponent(site)}/Wh.Stock$SiteAisle/Wh.Stock$Aisle/${aisle}`;
}

export function shelfPath(site: string, aisle: number, shelf: number): string {
  return `${aislePath(site, aisle)}/Wh.Stock$AisleShelf/Wh.Stock$Shelf/${shelf}`;
}

export function binPath({ site, aisle, shelf, bin }: Placed): string {
  return `${shelfPath(site.Code, aisle.No, shelf.No)}/Wh.Stock$ShelfBin/Wh.Stock$Bin/${encodeURIComponent(bin.Slot)}`;
}

export function lotPath(place: Placed, lot: number): string {
  return `${binPath(place)}/Wh.Stock$BinLot/Wh.Stock$Lot/${lot}`;
}

/** The moment that a text of a date and a time stands for, in milliseconds; without a zone it is UTC. */
export function moment(text: string): number {
  return Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`);
}
