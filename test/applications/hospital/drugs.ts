// Requests to drugs, batches, suppliers and what they supply.

import type { Operation } from '../harness.ts';
import { changeDrug, checkBatch, isPositive, refuse, removeDrug } from './changes.ts';
import type { Choice, Course } from './oracle.ts';
import { asStored, moment, shownBatch, shownDrug, shownSupplier } from './state.ts';
import { someMoment } from './visits.ts';

export const expiries = ['2026-06-30', '2027-01-31', '2028-02-29'];

export function drugOperations({ random, state, attempt }: Course): readonly Choice[] {
  const someDrug = () => random.pickOr([...state().drugs.keys()], 'nothing');
  const someSupplier = () => random.pickOr([...state().suppliers.keys()], 'nobody');
  const pack = () => ({ size: random.pick([1, 3, 7, 10]), content: random.decimal(50, 3) });
  const prices = () => Array.from({ length: random.integer(1, 3) }, () => random.decimal(9, 3));

  const createDrug = (): Operation => {
    const [code, inner] = [`d${random.integer(1, 9)}`, pack()];
    const fields = {
      name: `Drug ${code}`,
      prices: prices(),
      limits: random.pick([null, { adult: 9, child: 2.5 }]),
      stock: random.decimal(80, 2),
    };
    const isFaulty = random.chance(0.1);
    const body = { code, ...fields, pack: isFaulty ? { ...inner, content: 'much' } : inner };
    return attempt({ method: 'POST', target: '/pharmacy/Drug', body }, 201, (draft) => {
      if (isFaulty) refuse(422, { errors: [{ attribute: 'pack.content', code: 'type' }] });
      if (draft.drugs.has(code)) refuse(409, { code: 'duplicate' });
      draft.drugs.set(code, { ...fields, pack: { ...inner, unit: 'mg' } });
      return shownDrug(draft, code);
    });
  };

  const alterDrug = (): Operation => {
    const code = someDrug();
    const changes = random.pick([
      { stock: random.decimal(60, 3) },
      { stock: `-${random.integer(1, 5)}` },
      { prices: prices() },
      { pack: { ...pack(), unit: 'ml' } },
      { limits: { adult: random.integer(5, 10) } },
      { name: `Renamed ${code}` },
    ]);
    return attempt({ method: 'PUT', target: `/pharmacy/Drug/${code}`, body: changes }, 200, (draft) => {
      changeDrug(draft, code, changes);
      return shownDrug(draft, code);
    });
  };

  const deleteDrug = (): Operation => {
    const code = someDrug();
    return attempt({ method: 'DELETE', target: `/pharmacy/Drug/${code}` }, 200, (draft) => {
      const answer = draft.drugs.has(code) ? shownDrug(draft, code) : undefined;
      removeDrug(draft, code);
      return answer;
    });
  };

  const createBatch = (): Operation => {
    const number = `b ${random.integer(1, 20)}`;
    const fields = { drug: someDrug(), amount: random.decimal(20, 2), expires: random.pick(expiries) };
    const extra = { ...(random.chance(0.7) ? { received: someMoment(random, 1) } : {}), ...(random.chance(0.3) ? { label: 'own' } : {}) };
    return attempt({ method: 'POST', target: '/pharmacy/Batch', body: { number, ...fields, ...extra } }, 201, (draft) => {
      const batch = { ...fields, received: extra.received === undefined ? null : asStored(extra.received) };
      const isFaulty = !isPositive(fields.amount) || !draft.drugs.has(fields.drug);
      if (isFaulty && draft.batches.has(number)) refuse('refused');
      checkBatch(draft, number, batch);
      if (draft.batches.has(number)) refuse(409, { code: 'duplicate' });
      draft.batches.set(number, { ...batch, label: extra.label ?? `${fields.drug}-${number}` });
      return shownBatch(draft, number);
    });
  };

  const alterBatch = (): Operation => {
    const number = random.pickOr([...state().batches.keys()], 'b 99');
    const target = `/pharmacy/Batch/${encodeURIComponent(number)}`;
    const changes = random.pick([
      { amount: random.decimal(20, 3) },
      { expires: random.pick(expiries) },
      { received: someMoment(random, 1) },
      { label: null },
    ]);
    if (random.chance(0.2)) {
      return attempt({ method: 'DELETE', target }, 200, (draft) => {
        if (!draft.batches.delete(number)) refuse(404);
      });
    }
    return attempt({ method: 'PATCH', target, body: changes }, 200, (draft) => {
      const batch = draft.batches.get(number);
      if (batch === undefined) return refuse(404);
      Object.assign(
        batch,
        changes,
        'received' in changes && changes.received !== undefined ? { received: asStored(changes.received) } : {},
      );
      checkBatch(draft, number, batch);
      return shownBatch(draft, number);
    });
  };

  /** Found by a moment that is written in any way. */
  const findBatch = (): Operation => {
    const at = someMoment(random, 1);
    return attempt({ method: 'GET', target: `/pharmacy/Batch?received=${encodeURIComponent(at)}` }, 200, (draft) =>
      [...draft.batches]
        .filter(([, { received }]) => received !== null && moment(received) === moment(at))
        .map(([number]) => shownBatch(draft, number)),
    );
  };

  const createSupplier = (): Operation => {
    const code = random.pick(['x', 'y', 'z']);
    return attempt({ method: 'POST', target: '/pharmacy/Supplier', body: { code, name: `Supplier ${code}` } }, 201, (draft) => {
      if (draft.suppliers.has(code)) refuse(409);
      draft.suppliers.set(code, { name: `Supplier ${code}`, drugs: new Map() });
      return shownSupplier(draft, code);
    });
  };

  const supply = (): Operation => {
    const [code, drug] = [someSupplier(), someDrug()];
    const link = { price: random.decimal(9, 3), terms: random.chance(0.5) ? { days: 30, discount: random.decimal(3, 2) } : null };
    const target = `/pharmacy/Drug/${drug}/Supplies/Supplier`;
    const kind = random.integer(1, 3);
    if (kind === 1) {
      return attempt({ method: 'POST', target, body: { code, '@link': link } }, 201, (draft) => {
        const supplier = draft.suppliers.get(code);
        if (!draft.drugs.has(drug)) refuse(supplier === undefined ? 'refused' : 404);
        if (supplier === undefined) return refuse(422);
        if (supplier.drugs.has(drug)) refuse(409, { code: 'duplicate' });
        supplier.drugs.set(drug, link);
        return { ...shownSupplier(draft, code), '@link': link };
      });
    }
    const body = { Supplier: code, Drug: drug, ...link };
    if (kind === 2) {
      return attempt({ method: 'POST', target: '/pharmacy/Supplies', body }, 201, (draft) => {
        const supplier = draft.suppliers.get(code);
        if (supplier === undefined || !draft.drugs.has(drug)) return refuse(422);
        if (supplier.drugs.has(drug)) refuse(409, { code: 'duplicate' });
        supplier.drugs.set(drug, link);
        return undefined;
      });
    }
    return attempt({ method: 'DELETE', target: `${target}/${code}` }, 200, (draft) => {
      if (draft.suppliers.get(code)?.drugs.delete(drug) !== true) refuse(404);
    });
  };

  return [
    [5, createDrug],
    [6, alterDrug],
    [1, deleteDrug],
    [5, createBatch],
    [4, alterBatch],
    [1, findBatch],
    [1, createSupplier],
    [4, supply],
  ];
}
