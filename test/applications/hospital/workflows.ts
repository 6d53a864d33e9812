// Requests that run workflows.

import { Fraction, sum } from '../decimals.ts';
import type { Operation } from '../harness.ts';
import {
  changeDrug,
  createDose,
  createPrescription,
  createVisit,
  type Delivery,
  fail,
  Refusal,
  receive,
  refuse,
  removeVisit,
} from './changes.ts';
import { expiries } from './drugs.ts';
import type { Choice, Course } from './oracle.ts';
import {
  cheapest,
  costOf,
  found,
  greatest,
  moment,
  owed,
  patientsOf,
  prescriptionsOf,
  quotient,
  type State,
  shownBatch,
  shownDoctor,
  shownPatient,
  shownPrescription,
  shownVisit,
  sorted,
  type VisitKey,
  visitKeys,
  visitOf,
  visitPath,
} from './state.ts';
import { someMoment, someTemperature } from './visits.ts';

export function workflowOperations({ random, state, attempt }: Course): readonly Choice[] {
  const somePatient = () => random.pickOr([...state().patients.keys()], 99);

  const admit = (): Operation => {
    const orders = Array.from({ length: random.integer(0, 3) }, () => ({
      drug: random.pickOr([...state().drugs.keys()], 'nothing'),
      amounts: Array.from({ length: random.integer(0, 3) }, () => random.decimal(10, 2)),
    }));
    const temperature = random.chance(0.5) ? { temperature: someTemperature(random) } : {};
    const body = { patient: somePatient(), no: random.integer(1, 9), at: someMoment(random), ...temperature, orders };
    return attempt({ method: 'POST', target: '/care/admit', body }, 200, (draft) => admitted(draft, body));
  };

  const shift = (): Operation => {
    const body = { from: random.integer(1, 30), by: random.integer(-3, 3) };
    return attempt({ method: 'POST', target: '/care/shift', body }, 200, (draft) => {
      const patients = [...draft.patients].filter(([, { turn }]) => turn !== null);
      for (const [, each] of patients) if (each.turn !== null && each.turn >= body.from) each.turn += body.by;
      if (new Set(patients.map(([, { turn }]) => turn)).size < patients.length) refuse(409, { code: 'duplicate' });
      return patients.map(([no, { turn }]) => ({ no, turn })).sort((one, other) => Number(one.turn) - Number(other.turn));
    });
  };

  const transfer = (): Operation => {
    const doctor = random.pickOr([...state().doctors.keys()], 'nobody@hospital.example');
    const body = { doctor, patient: somePatient(), since: '2026-02-28' };
    return attempt({ method: 'POST', target: '/care/transfer', body }, 200, (draft) => {
      if (!draft.doctors.has(doctor)) fail('There is no such doctor.');
      if (!draft.patients.has(body.patient)) fail('There is no such patient.');
      draft.familyDoctors.set(body.patient, { doctor, since: body.since });
      if (patientsOf(draft, doctor).length > 3) fail(`Doctor ${found(draft.doctors, doctor).name} has too many patients.`);
      return shownDoctor(draft, doctor);
    });
  };

  const clear = (): Operation => {
    const before = someMoment(random, 1);
    return attempt({ method: 'POST', target: '/care/clear', body: { before } }, 200, (draft) => {
      const gone = visitKeys(draft).filter((key) => moment(visitOf(draft, key)?.at ?? '') < moment(before));
      const answer = gone.map((key) => shownVisit(draft, key));
      for (const key of gone) removeVisit(draft, key);
      return answer;
    });
  };

  const find = (): Operation => {
    const at = someMoment(random);
    return attempt({ method: 'POST', target: '/care/find', body: { at } }, 200, (draft) => {
      const moments = visitKeys(draft).map((key) => moment(visitOf(draft, key)?.at ?? ''));
      const [same, later] = [moments.filter((each) => each === moment(at)).length, moments.filter((each) => each > moment(at)).length];
      return { same, later, found: same, after: later };
    });
  };

  const chart = (): Operation => {
    const body = { patient: somePatient(), least: someTemperature(random) };
    return attempt({ method: 'POST', target: '/care/chart', body }, 200, (draft) => {
      const patient = draft.patients.get(body.patient);
      if (patient === undefined) return [];
      const keys = sorted(patient.visits).filter(([, { temperature }]) => temperature !== null && temperature >= body.least);
      const visits = keys
        .map(([no]): VisitKey => [body.patient, no])
        .map((key) => ({
          ...shownVisit(draft, key),
          VisitPrescription: prescriptionsOf(draft, key).map(([no]) => shownPrescription(draft, key, no)),
        }));
      return [{ ...shownPatient(draft, body.patient), PatientVisit: visits }];
    });
  };

  const delivery = (): Delivery => ({
    number: `b ${random.integer(1, 20)}`,
    drug: random.pickOr([...state().drugs.keys()], 'nothing'),
    amount: random.decimal(40, 3),
    expires: random.pick(expiries),
  });

  const receiveOne = (): Operation => {
    const body = delivery();
    return attempt({ method: 'POST', target: '/pharmacy/receive', body }, 200, (draft) => {
      receive(draft, body);
      return received(draft, body);
    });
  };

  const restock = (): Operation => {
    const items = Array.from({ length: random.integer(0, 4) }, delivery);
    return attempt({ method: 'POST', target: '/pharmacy/restock', body: { items } }, 200, (draft) =>
      items.map((item) => {
        const before = structuredClone(draft);
        try {
          receive(draft, item);
          return received(draft, item);
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          Object.assign(draft, before);
          return { number: item.number, code: error.answer?.['code'] };
        }
      }),
    );
  };

  /** The limits are sent in another order of their keys than they are kept in. */
  const compare = (): Operation => {
    const body = {
      drug: random.pickOr([...state().drugs.keys()], 'nothing'),
      other: random.pick([{ child: 2.5, adult: 9 }, { adult: 7 }]),
    };
    return attempt({ method: 'POST', target: '/pharmacy/compare', body }, 200, (draft) => {
      const drug = draft.drugs.get(body.drug);
      if (drug === undefined) return fail('There is no such drug.');
      if (drug.limits === null) return refuse(500, { code: 'function-failed', detail: 'The function highest failed.' });
      const text = (limits: object) => JSON.stringify(Object.entries(limits).sort());
      const same = [...draft.drugs.values()].filter(({ limits }) => limits !== null && text(limits) === text(body.other)).length;
      return { same, highest: Math.max(...Object.values(drug.limits)) };
    });
  };

  const recall = (): Operation => {
    const body = { day: random.pick(['31.01.26', '30.02.26', '29.02.24', '15.12.49']), months: random.pick([1, 12, 13]) };
    return attempt({ method: 'POST', target: '/care/recall', body }, 200, () => {
      const [day = 0, month = 0, year = 0] = body.day.split('.').map(Number);
      const lastOf = (months: number) => new Date(Date.UTC(2000 + year, month + months, 0));
      if (day > lastOf(0).getUTCDate()) return fail('A text is no date of the calendar in the form of its pattern.');
      const last = lastOf(body.months);
      const next = [Math.min(day, last.getUTCDate()), last.getUTCMonth() + 1, last.getUTCFullYear()];
      return { next: next.join('.'), last: `${last.toISOString().slice(0, 10)}T23:59:59.999Z` };
    });
  };

  const report = (): Operation => {
    const [day, least] = [random.pick(expiries), random.decimal(9, 1)];
    const [target, body, rows] = random.pick<readonly [string, object, (draft: State) => unknown]>([
      ['/care/wards', {}, wards],
      ['/care/hours', {}, hours],
      ['/care/heat', {}, heat],
      ['/pharmacy/stocks', { day }, (draft) => stocks(draft, day)],
      ['/pharmacy/offers', { least }, (draft) => offers(draft, least)],
    ]);
    return attempt({ method: 'POST', target, body }, 200, rows);
  };

  return [
    [10, admit],
    [4, shift],
    [5, transfer],
    [1, clear],
    [2, find],
    [3, chart],
    [4, receiveOne],
    [4, restock],
    [8, report],
    [3, compare],
    [2, recall],
  ];
}

/** The same batch arrives many times at once: it is made once, and everything that came is in stock. */
export function deliveredTogether({ state, attempt }: Course): readonly Operation[] {
  const few = sorted(state().drugs).find(([, { stock }]) => Fraction.of(stock).compare(100) < 0);
  if (few === undefined) return [];
  const item = { number: 'b 50', drug: few[0], amount: '0.75', expires: '2031-01-31' };
  const request = { method: 'POST', target: '/pharmacy/restock', body: { items: [item] } } as const;
  return Array.from({ length: 12 }, () =>
    attempt(request, 200, (draft) => {
      receive(draft, item);
      return [received(draft, item)];
    }),
  );
}

interface Admission {
  readonly patient: number;
  readonly no: number;
  readonly at: string;
  readonly temperature?: number;
  readonly orders: readonly { readonly drug: string; readonly amounts: readonly string[] }[];
}

function admitted(draft: State, { patient: number, orders, ...visit }: Admission): unknown {
  const patient = draft.patients.get(number);
  if (patient === undefined) return fail('There is no such patient.');
  patient.state = 'in';
  createVisit(draft, patient, visit);
  const made = found(patient.visits, visit.no);
  for (const [index, { drug, amounts }] of orders.entries()) {
    const limits = draft.drugs.get(drug)?.limits;
    if (limits === undefined) fail(`There is no drug ${drug}.`);
    createPrescription(draft, made, { no: index + 1, drug });
    for (const [place, amount] of amounts.entries()) {
      const most = limits?.['adult'];
      if (most !== undefined && Fraction.of(amount).compare(most) > 0) fail(`More than ${most} at once is too much.`);
      createDose(found(made.prescriptions, index + 1).doses, { at: `${String(7 + place).padStart(2, '0')}:00:00`, amount });
      changeDrug(draft, drug, { stock: Fraction.of(found(draft.drugs, drug).stock).minus(amount).text() });
    }
  }
  return {
    patient: number,
    prescriptions: orders.length,
    cost: costOf(draft, made),
    owed: owed(draft, patient),
    largest: greatest(['0', ...orders.flatMap(({ amounts }) => amounts)]),
  };
}

function received(draft: State, { number, drug }: Delivery): unknown {
  return { number, stock: found(draft.drugs, drug).stock, worth: shownBatch(draft, number).worth };
}

function wards(draft: State): unknown {
  return sorted(draft.wards).flatMap(([code]) => {
    const doctors = [...draft.doctors.values()].filter((each) => each.wards.has(code));
    const links = doctors.map((each) => found(each.wards, code));
    if (doctors.length === 0) return [];
    const share = sum(links.map((each) => each.share));
    const since = links.flatMap((each) => each.since ?? []).sort();
    const rates = doctors.map(({ rate }) => rate);
    return [
      {
        code,
        doctors: doctors.length,
        pay: sum(rates),
        share,
        mean: quotient(share, links.length),
        top: greatest(rates),
        first: since[0] ?? null,
      },
    ];
  });
}

function hours(draft: State): unknown {
  const rows = [...draft.attends.values()].map(({ doctor, visit, hours: each }) => ({
    path: visitPath(visit),
    email: doctor,
    pay: Fraction.of(each).times(found(draft.doctors, doctor).rate),
  }));
  const text = ({ path, email }: { path: string; email: string }) => `${path} ${email}`;
  return rows.sort((one, other) => (text(one) < text(other) ? -1 : 1));
}

function heat(draft: State): unknown {
  const visits = visitKeys(draft).flatMap((key) => visitOf(draft, key) ?? []);
  return ['plain', 'urgent'].flatMap((kind) => {
    const own = visits.filter((each) => each.kind === kind && each.temperature !== null);
    if (own.length === 0) return [];
    const total = Number(sum(own.map(({ temperature }) => temperature ?? 0)).text());
    return [{ kind, total, visits: own.length, cost: sum(own.map((each) => costOf(draft, each))) }];
  });
}

function stocks(draft: State, day: string): unknown {
  return sorted(draft.drugs).map(([code]) => {
    const own = [...draft.batches.values()].filter(({ drug, expires }) => drug === code && expires >= day);
    const amount = sum(own.map((each) => each.amount));
    const last = own.map(({ expires }) => expires).sort();
    const sums = own.length === 0 ? { amount: null, mean: null } : { amount, mean: quotient(amount, own.length) };
    return { code, batches: own.length, ...sums, last: last.at(-1) ?? null };
  });
}

function offers(draft: State, least: string): unknown {
  return sorted(draft.suppliers).flatMap(([supplier, { drugs }]) =>
    sorted(drugs)
      .filter(([, { price }]) => Fraction.of(price).compare(least) >= 0)
      .map(([code, { price }]) => {
        const drug = found(draft.drugs, code);
        return { supplier, drug: drug.name, code, gain: cheapest(drug).minus(price) };
      }),
  );
}
