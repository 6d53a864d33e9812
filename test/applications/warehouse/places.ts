// Requests about sites and what lies in them: trees, nested paths, lots, and the dataflows that move them.

import type { Operation } from '../harness.ts';
import type { Random } from '../random.ts';
import { below, ok, shownAisle, shownBin, shownLot, shownShelf, shownSite, shownTree, tagged } from './shown.ts';
import {
  type Aisle,
  type Bin,
  binsOf,
  type Lot,
  moment,
  type Placed,
  type Shelf,
  type Site,
  shelvesOf,
  sorted,
  type World,
} from './world.ts';

const zones = ['dry', 'cold'] as const;
/** The same moments in several writings, and some that differ by a fraction of a second. */
const moments = [
  '2026-03-01T10:00:00Z',
  '2026-03-01T10:00:00.000Z',
  '2026-03-01T10:00:00.5Z',
  '2026-03-01T10:00:00.25',
  '2026-02-28T23:59:59',
];

export class PlaceRequests {
  readonly #random: Random;
  readonly #world: World;

  constructor(random: Random, world: World) {
    this.#random = random;
    this.#world = world;
  }

  createSite(): Operation {
    const code = this.#random.pick(['A', 'B', 'C', 'D e/f']);
    const site: Site = {
      Code: code,
      City: this.#random.pick(['Köln', 'Łódź', 'Bonn']),
      Opened: '2020-02-29',
      OpensAt: this.#random.pick([null, '08:30:00', '08:30:00.5']),
      aisles: new Map(),
    };
    const [aisles, shelves, bins] = [this.#random.integer(0, 2), this.#random.integer(0, 2), this.#random.integer(0, 2)];
    for (let no = 1; no <= aisles; no++) {
      const aisle: Aisle = { No: no, Zone: this.#random.pick(zones), shelves: new Map() };
      for (let number = 1; number <= shelves; number++) {
        const shelf: Shelf = { No: number, MaxLoad: this.#random.decimal(900, 2), bins: new Map() };
        for (let slot = 1; slot <= bins; slot++) {
          const bin = this.#newBin(`s${slot}`);
          shelf.bins.set(bin.Slot, bin);
        }
        aisle.shelves.set(number, shelf);
      }
      site.aisles.set(no, aisle);
    }
    const request = { method: 'POST', target: '/api/Wh.Stock/Site', body: sentSite(site) } as const;
    const tags = binsOf(site).map(({ bin }) => bin.Tag);
    const isTaken =
      this.#world.sites.has(code) || new Set(tags).size < tags.length || tags.some((tag) => this.#world.bin(tag) !== undefined);
    if (isTaken) return { ...request, status: 409, answer: [{ code: 'duplicate' }] };
    this.#world.sites.set(code, site);
    return { ...request, status: 200, answer: ok(createdTree(this.#world, site)) };
  }

  addAisle(): Operation {
    const [code, site] = this.#someSite();
    const No = this.#random.integer(1, 4);
    const target = `${sitePath(code)}/SiteAisle/Aisle`;
    const request = { method: 'POST', target, body: { 'Wh.Stock/Aisle': { No } } } as const;
    if (site === undefined) return { ...request, status: 404 };
    if (site.aisles.has(No)) return { ...request, status: 409 };
    const aisle = { No, Zone: 'dry', shelves: new Map() };
    site.aisles.set(No, aisle);
    return { ...request, status: 200, answer: ok(shownAisle(this.#world, site, aisle)) };
  }

  addShelf(): Operation {
    const [code, site] = this.#someSite();
    const aisle = site?.aisles.get(this.#random.integer(1, 3));
    const No = this.#random.integer(1, 4);
    const target = `${sitePath(code)}/SiteAisle/Aisle/${aisle?.No ?? 7}/AisleShelf/Shelf`;
    const load = this.#random.chance(0.5) ? this.#random.decimal(900, 2) : undefined;
    const body = { 'Wh.Stock/Shelf': { No, ...(load === undefined ? {} : { MaxLoad: Number(load) }) } };
    const request = { method: 'POST', target, body } as const;
    if (site === undefined || aisle === undefined) return { ...request, status: 404 };
    if (aisle.shelves.has(No)) return { ...request, status: 409 };
    const shelf = { No, MaxLoad: load ?? '400.50', bins: new Map() };
    aisle.shelves.set(No, shelf);
    return { ...request, status: 200, answer: ok(shownShelf(this.#world, site, aisle, shelf)) };
  }

  addBin(): Operation {
    const place = this.#someShelf();
    const bin = this.#newBin(this.#random.pick(['s1', 's2', 's 3', 's/4']));
    const shelf = place === undefined ? `${sitePath('nowhere')}/SiteAisle/Aisle/1/AisleShelf/Shelf/1` : shelfTarget(place);
    const request = { method: 'POST', target: `${shelf}/ShelfBin/Bin`, body: { 'Wh.Stock/Bin': sentBin(bin) } } as const;
    const isTaken = this.#world.bin(bin.Tag) !== undefined;
    if (place === undefined) return { ...request, status: isTaken ? 'refused' : 404 };
    if (isTaken || place.shelf.bins.has(bin.Slot)) return { ...request, status: 409 };
    place.shelf.bins.set(bin.Slot, bin);
    return { ...request, status: 200, answer: ok(shownBin(this.#world, { ...place, bin })) };
  }

  addLot(): Operation {
    const place = this.#someBin();
    const no = this.#random.integer(1, 5);
    const lot = { Sku: this.#someSku(), Qty: this.#random.integer(0, 40), Received: this.#random.pick(moments) };
    const under = place === undefined ? '/api/Wh.Stock/Bin/nowhere' : this.#random.chance(0.5) ? binTarget(place) : flatBin(place);
    const request = { method: 'POST', target: `${under}/BinLot/Lot`, body: { 'Wh.Stock/Lot': { No: no, ...lot } } } as const;
    const isFaulty = lot.Qty <= 0 || !this.#world.products.has(lot.Sku);
    if (place === undefined) return { ...request, status: isFaulty ? 'refused' : 404 };
    if (isFaulty) return { ...request, status: 'refused' };
    if (place.bin.lots.has(no)) return { ...request, status: 409 };
    place.bin.lots.set(no, lot);
    this.#world.note('lot', lot.Sku, lot.Qty);
    return { ...request, status: 200, answer: ok(shownLot(this.#world, place, no, lot)) };
  }

  changeSite(): Operation {
    const [code, site] = this.#someSite();
    const changes = this.#random.pick([{ City: 'Ålesund' }, { OpensAt: '07:15:00' }, { Opened: '2021-02-29' }, { Units: 1_000_000 }]);
    const request = { method: 'PUT', target: sitePath(code), body: { Data: changes } } as const;
    if ('Opened' in changes || 'Units' in changes) return { ...request, status: site === undefined ? 'refused' : 422 };
    if (site === undefined) return { ...request, status: 404 };
    Object.assign(site, changes);
    return { ...request, status: 200, answer: shownSite(this.#world, site) };
  }

  changeShelf(): Operation {
    const place = this.#someShelf();
    const MaxLoad = this.#random.decimal(900, 3);
    const target = place === undefined ? `${sitePath('A')}/SiteAisle/Aisle/9/AisleShelf/Shelf/9` : shelfTarget(place);
    const request = { method: 'PUT', target, body: { 'Wh.Stock/Shelf': { MaxLoad } } } as const;
    if (place === undefined) return { ...request, status: 404 };
    place.shelf.MaxLoad = MaxLoad;
    return { ...request, status: 200, answer: shownShelf(this.#world, place.site, place.aisle, place.shelf) };
  }

  /** By its path, or by its guid. */
  changeBin(): Operation {
    const place = this.#someBin();
    const changes = this.#random.pick([
      { Spot: { X: this.#random.decimal(9, 3), Y: '2.25' } },
      { Spot: null },
      { Limits: [this.#random.decimal(9, 2), '7'] },
      { Slot: 'elsewhere' },
    ]);
    const target = place === undefined ? '/api/Wh.Stock/Bin/nowhere' : this.#random.chance(0.5) ? binTarget(place) : flatBin(place);
    const request = { method: 'PUT', target, body: { 'Wh.Stock/Bin': changes } } as const;
    if (place === undefined) return { ...request, status: 'Slot' in changes ? 'refused' : 404 };
    if ('Slot' in changes) return { ...request, status: 422 };
    Object.assign(place.bin, changes);
    return { ...request, status: 200, answer: shownBin(this.#world, place) };
  }

  changeLot(): Operation {
    const place = this.#someBin();
    const no = this.#random.pickOr([...(place?.bin.lots.keys() ?? [])], 77);
    const changes = this.#random.pick([{ Qty: this.#random.integer(-1, 120) }, { Sku: this.#someSku() }, { Received: moments[2] ?? '' }]);
    const under = place === undefined ? '/api/Wh.Stock/Bin/nowhere' : binTarget(place);
    const request = { method: 'PUT', target: `${under}/BinLot/Lot/${no}`, body: { Data: changes } } as const;
    const lot = place?.bin.lots.get(no);
    const isFaulty = ('Qty' in changes && (changes.Qty ?? 0) <= 0) || ('Sku' in changes && !this.#world.products.has(changes.Sku ?? ''));
    if (place === undefined || lot === undefined) return { ...request, status: isFaulty ? 'refused' : 404 };
    if (isFaulty) return { ...request, status: 422 };
    Object.assign(lot, changes);
    return { ...request, status: 200, answer: shownLot(this.#world, place, no, lot) };
  }

  /** The whole tree is read, or sent back as it was read. */
  tree(): Operation {
    const [code, site] = this.#someSite();
    const isRead = this.#random.chance(0.5);
    if (site === undefined) return { method: 'GET', target: `${sitePath(code)}/__tree`, status: 404, answer: [{ status: 'not-found' }] };
    const tree = shownTree(this.#world, site);
    if (isRead) return { method: 'GET', target: `${sitePath(code)}/__tree`, status: 200, answer: tree };
    const body = this.#random.chance(0.5) ? { 'Wh.Stock/Site': tree } : { Data: shownSite(this.#world, site) };
    return { method: 'PUT', target: sitePath(code), body, status: 200, answer: shownSite(this.#world, site) };
  }

  /** A site, an aisle, a shelf, a bin or a lot, with everything in it. */
  remove(): Operation {
    const place = this.#someBin();
    if (place === undefined) return { method: 'DELETE', target: '/api/Wh.Stock/Bin/nowhere', status: 404 };
    const { site, aisle, shelf, bin } = place;
    const number = this.#random.pickOr([...bin.lots.keys()], 77);
    const lot = bin.lots.get(number);
    const shown = this.#world;
    const [target, bins, answer, cut] = this.#random.weighted<readonly [string, readonly Bin[], object, () => void]>([
      [1, [sitePath(site.Code), binsOf(site).map((each) => each.bin), shownSite(shown, site), () => this.#world.sites.delete(site.Code)]],
      [
        1,
        [
          `${sitePath(site.Code)}/SiteAisle/Aisle/${aisle.No}`,
          [...aisle.shelves.values()].flatMap((each) => [...each.bins.values()]),
          shownAisle(shown, site, aisle),
          () => site.aisles.delete(aisle.No),
        ],
      ],
      [1, [shelfTarget(place), [...shelf.bins.values()], shownShelf(shown, site, aisle, shelf), () => aisle.shelves.delete(shelf.No)]],
      [2, [flatBin(place), [bin], shownBin(shown, place), () => shelf.bins.delete(bin.Slot)]],
      [
        4,
        [
          `${binTarget(place)}/BinLot/Lot/${number}`,
          [],
          lot === undefined ? {} : shownLot(shown, place, number, lot),
          () => bin.lots.delete(number),
        ],
      ],
    ]);
    const isLot = target.includes('/BinLot/');
    if (isLot && lot === undefined) return { method: 'DELETE', target, status: 404 };
    const lots = isLot && lot !== undefined ? [lot] : bins.flatMap((each) => [...each.lots.values()]);
    if (lots.some(({ Qty }) => Qty > 90)) return { method: 'DELETE', target, status: 422, answer: [{ code: 'dataflow-failed' }] };
    cut();
    for (const _ of bins) this.#world.note('bin gone');
    this.#world.cutLinks();
    return { method: 'DELETE', target, status: 200, answer: ok(answer) };
  }

  receive(): Operation {
    const event = {
      No: this.#random.integer(1, 6),
      Sku: this.#someSku(),
      Qty: this.#random.integer(0, 60),
      At: this.#random.pick(moments),
    };
    return this.#received(this.#someBin(), event);
  }

  /** Many things for the same bin, if there is one with room for them. */
  receiveMany(count: number): readonly Operation[] {
    const [Sku = ''] = this.#world.products.keys();
    const load = this.#world.lotLoad({ Sku, Qty: count, Received: '' });
    const place = this.#world.bins().find(({ shelf }) => this.#world.free(shelf).compare(load) > 0);
    const numbers = place === undefined ? [] : Array.from({ length: count }, (_, index) => 50 + index);
    return numbers.map((No) => this.#received(place, { No, Sku, Qty: 1, At: '2026-03-01T10:00:00Z' }));
  }

  #received(
    place: Placed | undefined,
    event: { readonly No: number; readonly Sku: string; readonly Qty: number; readonly At: string },
  ): Operation {
    const request = { ...posted('Wh.Stock/Receive', { Bin: place?.bin.Tag ?? 'nowhere', ...event }) };
    if (place === undefined) return { ...request, status: 422, answer: [{ message: 'There is no such bin.' }] };
    const lot = { Sku: event.Sku, Qty: event.Qty, Received: event.At };
    if (event.Qty <= 0 || !this.#world.products.has(event.Sku)) return { ...request, status: 'refused' };
    if (place.bin.lots.has(event.No)) return { ...request, status: 409 };
    if (this.#world.free(place.shelf).minus(this.#world.lotLoad(lot)).compare(0) < 0)
      return { ...request, status: 422, answer: [{ message: 'The shelf cannot bear that.' }] };
    place.bin.lots.set(event.No, lot);
    this.#world.note('lot', lot.Sku, lot.Qty);
    const Free = this.#world.free(place.shelf);
    return { ...request, status: 200, answer: { 'Wh.Stock/Receipt': { ...this.#measured(place.bin), Free } } };
  }

  move(): Operation {
    const [source, target] = [this.#someBin(), this.#someBin()];
    const No = this.#random.pickOr([...(source?.bin.lots.keys() ?? [])], 8);
    const old = source?.bin.lots.get(No);
    const Qty = this.#random.chance(0.3) && old !== undefined ? old.Qty : this.#random.integer(1, 30);
    const event = { From: source?.bin.Tag ?? 'nowhere', To: target?.bin.Tag ?? 'nowhere', No, Qty };
    const request = posted('Wh.Stock/Move', event);
    const refused = (message: string): Operation => ({ ...request, status: 422, answer: [{ code: 'dataflow-failed', message }] });
    if (source === undefined) return refused('There is no source.');
    if (old === undefined) return refused('There is no lot.');
    if (old.Qty < Qty) return refused('There is not enough.');
    if (old.Qty === Qty && Qty > 90) return refused(`Too much of ${old.Sku} is left.`);
    if (target === undefined) return refused('There is no target.');
    const taken = { ...old };
    const isSame = source.bin === target.bin;
    const there = isSame && old.Qty === Qty ? undefined : target.bin.lots.get(No);
    if (there !== undefined && there.Sku !== taken.Sku) return refused('Something else lies there.');
    if (old.Qty === Qty) source.bin.lots.delete(No);
    else old.Qty -= Qty;
    if (there === undefined) {
      target.bin.lots.set(No, { ...taken, Qty });
      this.#world.note('lot', taken.Sku, Qty);
    } else there.Qty += Qty;
    const bins = [...new Set([source.bin, target.bin])].sort((one, other) => (one.Tag < other.Tag ? -1 : 1));
    const answer = bins.map((bin) => {
      const measured = this.#measured(bin);
      return { 'Wh.Stock/Receipt': { ...measured, Free: measured.Load.over(3).round(2) } };
    });
    return { ...request, status: 200, answer };
  }

  survey(): Operation {
    const [code, site] = this.#someSite();
    const answer = sorted(site?.aisles ?? new Map<number, Aisle>()).map(([, { shelves }]) =>
      sorted(shelves).map(([no, shelf]) => ({
        Shelf: no,
        Free: this.#world.free(shelf),
        Double: this.#world.load([...shelf.bins.values()]).times(2),
      })),
    );
    return { ...posted('Wh.Stock/Survey', { Site: code }), status: 200, answer };
  }

  look(): Operation {
    const place = this.#someBin();
    const [Aisle, Shelf] = [place?.aisle.No ?? 1, place?.shelf.No ?? 1];
    const event = { Site: place?.site.Code ?? 'nowhere', Aisle, Shelf, Slot: place?.bin.Slot ?? 's1', Than: '2026-03-01T12:00:00.0+02:00' };
    const answer = sorted(place?.bin.lots ?? new Map<number, Lot>()).map(([No, lot]) => {
      const age = moment(lot.Received) - moment(event.Than);
      return { No, Value: this.#world.lotValue(lot), Age: age < 0 ? 'older' : age === 0 ? 'the same' : 'newer' };
    });
    return { ...posted('Wh.Stock/Look', event), status: 200, answer };
  }

  clean(): Operation {
    const Below = this.#random.integer(1, 4);
    const gone = this.#world.lots().filter(({ lot }) => lot.Qty < Below);
    for (const { bin, no } of gone) bin.lots.delete(no);
    return { ...posted('Wh.Stock/Clean', { Below }), status: 200, answer: gone.length };
  }

  #measured(bin: Bin) {
    const Units = [...bin.lots.values()].reduce((total, { Qty }) => total + Qty, 0);
    return { Bin: bin.Tag, Units, Load: this.#world.load([bin]) };
  }

  #newBin(slot: string): Bin {
    const Spot = this.#random.chance(0.5) ? { X: this.#random.decimal(9, 2), Y: this.#random.decimal(9, 3) } : null;
    const Limits = this.#random.chance(0.5) ? [this.#random.decimal(9, 2), this.#random.decimal(9, 2)] : null;
    return { Tag: `b${this.#random.integer(1, 40)}`, Slot: slot, Spot, Limits, lots: new Map() };
  }

  #someSku(): string {
    return this.#random.pickOr([...this.#world.products.keys()], 'p99');
  }

  #someSite(): readonly [string, Site | undefined] {
    const code = this.#random.pickOr([...this.#world.sites.keys()], 'nowhere');
    return [code, this.#world.sites.get(code)];
  }

  #someShelf(): Omit<Placed, 'bin'> | undefined {
    const all = [...this.#world.sites.values()].flatMap((site) => shelvesOf(site).map((each) => ({ ...each, site })));
    return this.#random.pickOr<Omit<Placed, 'bin'> | undefined>(all, undefined);
  }

  #someBin(): Placed | undefined {
    return this.#random.pickOr<Placed | undefined>(this.#world.bins(), undefined);
  }
}

export function posted(event: string, attributes: object): Pick<Operation, 'method' | 'target' | 'body'> {
  return { method: 'POST', target: `/api/${event}`, body: { [event]: attributes } };
}

function sitePath(code: string): string {
  return `/api/Wh.Stock/Site/${encodeURIComponent(code)}`;
}

function shelfTarget({ site, aisle, shelf }: Omit<Placed, 'bin'>): string {
  return `${sitePath(site.Code)}/SiteAisle/Aisle/${aisle.No}/AisleShelf/Shelf/${shelf.No}`;
}

function binTarget(place: Placed): string {
  return `${shelfTarget(place)}/ShelfBin/Bin/${encodeURIComponent(place.bin.Slot)}`;
}

function flatBin({ bin }: Placed): string {
  return `/api/Wh.Stock/Bin/${bin.Tag}`;
}

/** Its limits as numbers. */
function sentBin({ lots: _, Limits, ...bin }: Bin): object {
  const sent = { ...bin, Limits: Limits?.map(Number) ?? null };
  return Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null));
}

function sentSite({ aisles, ...site }: Site): object {
  const sentShelf = ({ bins, ...shelf }: Shelf) => ({
    'Wh.Stock/Shelf': shelf,
    'Wh.Stock/ShelfBin': [...bins.values()].map((bin) => ({ 'Wh.Stock/Bin': sentBin(bin) })),
  });
  const sentAisle = ({ shelves, ...aisle }: Aisle) => ({
    'Wh.Stock/Aisle': aisle,
    'Wh.Stock/AisleShelf': [...shelves.values()].map(sentShelf),
  });
  return { 'Wh.Stock/Site': site, 'Wh.Stock/SiteAisle': [...aisles.values()].map(sentAisle) };
}

/** What a create shows: what was made, and nothing of what was not. */
function createdTree(world: World, site: Site): object {
  const aisles = sorted(site.aisles).map(([, aisle]) => {
    const shelves = sorted(aisle.shelves).map(([, shelf]) => {
      const bins = sorted(shelf.bins).map(([, bin]) => shownBin(world, { site, aisle, shelf, bin }));
      return below(shownShelf(world, site, aisle, shelf), 'ShelfBin', bins);
    });
    return below(shownAisle(world, site, aisle), 'AisleShelf', shelves);
  });
  return below(tagged('Wh.Stock/Site', shownSite(world, site)), 'SiteAisle', aisles);
}
