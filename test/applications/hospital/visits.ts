// Requests to patients, their visits, prescriptions, doses and samples.

import type { Operation } from '../harness.ts';
import type { Random } from '../random.ts';
import {
  checkEnds,
  checkMoment,
  createDose,
  createPrescription,
  createVisit,
  type DoseBody,
  isPositive,
  type PrescriptionBody,
  Refusal,
  refuse,
  removePatient,
  removePrescription,
  removeVisit,
  type VisitBody,
} from './changes.ts';
import type { Choice, Course } from './oracle.ts';
import {
  asStored,
  asTime,
  samplesOf,
  secondOf,
  shownDose,
  shownPatient,
  shownPrescription,
  shownSample,
  shownVisit,
  treeOf,
  type VisitKey,
  visitKeys,
  visitOf,
  visitPath,
} from './state.ts';

/** One of a few hundred moments, written with one of several offsets and precisions. */
export function someMoment(random: Random, days = 3): string {
  const half = random.chance(0.3) ? 500 : 0;
  const at = Date.UTC(2026, 2, random.integer(1, days), random.integer(0, 23), random.pick([0, 30]), 0, half);
  const [zone, minutes] = random.pick([['Z', 0] as const, ['+02:00', 120] as const, ['-05:30', -330] as const, ['', 0] as const]);
  const fraction = half === 500 ? random.pick(['.5', '.500']) : random.pick(['', '', '.0', '.000']);
  return `${new Date(at + minutes * 60_000).toISOString().slice(0, 19)}${fraction}${zone}`;
}

export function someTemperature(random: Random): number {
  return random.integer(350, 420) / 10;
}

export function visitOperations({ random, state, attempt }: Course): readonly Choice[] {
  const someDrug = () => random.pickOr([...state().drugs.keys()], 'nothing', 0.03);
  const somePatient = () => random.pickOr([...state().patients.keys()], 99);
  const someVisit = (): VisitKey => random.pickOr<VisitKey>([...visitKeys(state())], [random.integer(1, 9), 77]);
  const target = ([patient, no]: VisitKey) => `/care/Patient/${patient}/PatientVisit/Visit/${no}`;
  const somePrescription = (key: VisitKey) => random.pickOr([...(visitOf(state(), key)?.prescriptions.keys() ?? [])], 66);

  const newDose = (): DoseBody => {
    const hour = String(random.integer(6, 10)).padStart(2, '0');
    return { at: `${hour}:00${random.pick(['', ':00', ':00.0'])}`, amount: random.decimal(12, 4) };
  };
  const newPrescription = (no: number): PrescriptionBody => ({
    no,
    drug: someDrug(),
    ...(random.chance(0.7) ? { PrescriptionDose: Array.from({ length: random.integer(1, 2) }, newDose) } : {}),
  });
  const newVisit = (no: number): VisitBody => ({
    no,
    at: someMoment(random),
    ...(random.chance(0.4) ? { ends: someMoment(random, 4) } : {}),
    ...(random.chance(0.5) ? { kind: random.pick(['plain', 'urgent']) } : {}),
    ...(random.chance(0.6) ? { temperature: someTemperature(random) } : {}),
    ...(random.chance(0.5) ? { fee: random.decimal(30, 2) } : {}),
    ...(state().drugs.size > 0 && random.chance(0.5)
      ? { VisitPrescription: Array.from({ length: random.integer(1, 2) }, (_, index) => newPrescription(index + 1)) }
      : {}),
  });

  const createPatient = (): Operation => {
    const no = random.integer(1, 16);
    const share = random.chance(0.5) ? random.pick(['0', '0.75', '1', '0.333']) : undefined;
    const fields = {
      name: `Bo ${random.pick(['Kim', 'Ng', 'van Os'])}`,
      born: random.pick(['2004-02-29', '2000-12-31', '1961-01-31', '0096-02-29']),
      turn: random.chance(0.6) ? random.integer(1, 30) : null,
      vitals: random.chance(0.5) ? { weight: random.decimal(90, 3), pulses: [60, 72] } : null,
    };
    const card = { insurer: random.pick(['AOK', 'Łódź']), ...(share === undefined ? {} : { share }) };
    const visits = random.chance(0.6) ? Array.from({ length: random.integer(1, 2) }, (_, index) => newVisit(index + 1)) : [];
    const body = { no, ...fields, card, ...(visits.length === 0 ? {} : { PatientVisit: visits }) };
    return attempt({ method: 'POST', target: '/care/Patient', body }, 201, (draft) => {
      const isTaken = [...draft.patients.values()].some(({ turn }) => turn !== null && turn === fields.turn);
      if (draft.patients.has(no) || isTaken) refuse(visits.length === 0 ? 409 : 'refused');
      const vitals = fields.vitals === null ? null : { ...fields.vitals, temperature: null };
      const patient = { ...fields, vitals, state: 'out', card: { number: null, share: '0.8', ...card }, visits: new Map() };
      draft.patients.set(no, patient);
      whole(() => {
        for (const each of visits) createVisit(draft, patient, each);
      });
      return undefined;
    });
  };

  const changePatient = (): Operation => {
    const no = somePatient();
    const changes = random.pick([
      { turn: random.integer(1, 30) },
      { turn: null },
      { vitals: { weight: random.decimal(90, 2), temperature: someTemperature(random), pulses: null } },
      { card: { insurer: 'TK', number: '7', share: random.pick(['0.5', '0.90', '0.123']) } },
      { born: '2026-02-30' },
    ]);
    return attempt({ method: 'PATCH', target: `/care/Patient/${no}`, body: changes }, 200, (draft) => {
      const patient = draft.patients.get(no);
      if ('born' in changes) refuse(patient === undefined ? 'refused' : 422);
      if (patient === undefined) return refuse(404);
      Object.assign(patient, changes);
      const others = [...draft.patients.values()].filter((each) => each !== patient);
      if (patient.turn !== null && others.some(({ turn }) => turn === patient.turn)) refuse(409, { code: 'duplicate' });
      return shownPatient(draft, no);
    });
  };

  const addVisit = (): Operation => {
    const [no, body] = [somePatient(), newVisit(random.integer(1, 6))];
    return attempt({ method: 'POST', target: `/care/Patient/${no}/PatientVisit/Visit`, body }, 201, (draft) => {
      const patient = draft.patients.get(no);
      if (patient === undefined) return refuse(body.ends === undefined && body.VisitPrescription === undefined ? 404 : 'refused');
      const isPlain = body.VisitPrescription === undefined;
      if (isPlain && body.ends === undefined) createVisit(draft, patient, body);
      else whole(() => createVisit(draft, patient, body));
      return isPlain ? shownVisit(draft, [no, body.no]) : undefined;
    });
  };

  const changeVisit = (): Operation => {
    const key = someVisit();
    const changes = random.pick([
      { temperature: someTemperature(random) },
      { temperature: null },
      { fee: random.decimal(30, 2), kind: 'urgent' },
      { at: someMoment(random) },
      { ends: someMoment(random) },
      { ends: null },
      { at: someMoment(random), ends: someMoment(random, 4) },
    ]);
    return attempt({ method: random.pick(['PUT', 'PATCH']), target: target(key), body: changes }, 200, (draft) => {
      const visit = visitOf(draft, key);
      if (visit === undefined) return refuse(404);
      Object.assign(visit, changes, {
        at: asStored(changes.at ?? visit.at),
        ends: changes.ends === undefined || changes.ends === null ? (changes.ends === null ? null : visit.ends) : asStored(changes.ends),
      });
      const sent = 'at' in changes && changes.at !== undefined;
      const isTaken = sent && refuses(() => checkMoment(draft, visit.at, visit));
      if (isTaken && refuses(() => checkEnds(visit.at, visit.ends))) refuse('refused');
      checkEnds(visit.at, visit.ends);
      checkMoment(draft, visit.at, visit);
      return shownVisit(draft, key);
    });
  };

  const removeSome = (): Operation => {
    const kind = random.integer(1, 4);
    if (kind === 1) {
      const no = somePatient();
      return attempt({ method: 'DELETE', target: `/care/Patient/${no}` }, 200, (draft) => {
        const answer = draft.patients.has(no) ? shownPatient(draft, no) : undefined;
        removePatient(draft, no);
        return answer;
      });
    }
    const key = someVisit();
    if (kind === 2) {
      return attempt({ method: 'DELETE', target: target(key) }, 200, (draft) => {
        const answer = visitOf(draft, key) === undefined ? undefined : shownVisit(draft, key);
        removeVisit(draft, key);
        return answer;
      });
    }
    const no = somePrescription(key);
    return attempt({ method: 'DELETE', target: `${target(key)}/VisitPrescription/Prescription/${no}` }, 200, (draft) =>
      removePrescription(draft, visitOf(draft, key), no),
    );
  };

  const addPrescription = (): Operation => {
    const [key, body] = [someVisit(), newPrescription(random.integer(1, 5))];
    return attempt({ method: 'POST', target: `${target(key)}/VisitPrescription/Prescription`, body }, 201, (draft) => {
      const visit = visitOf(draft, key);
      if (visit === undefined) return refuse(state().drugs.has(body.drug) && body.PrescriptionDose === undefined ? 404 : 'refused');
      whole(() => createPrescription(draft, visit, body));
      return body.PrescriptionDose === undefined ? shownPrescription(draft, key, body.no) : undefined;
    });
  };

  const addDose = (): Operation => {
    const [key, body] = [someVisit(), newDose()];
    const no = somePrescription(key);
    return attempt(
      { method: 'POST', target: `${target(key)}/VisitPrescription/Prescription/${no}/PrescriptionDose/Dose`, body },
      201,
      (draft) => {
        const prescription = visitOf(draft, key)?.prescriptions.get(no);
        if (prescription === undefined) return refuse(isPositive(body.amount) ? 404 : 'refused');
        if (!isPositive(body.amount) && prescription.doses.has(secondOf(body.at))) refuse('refused');
        createDose(prescription.doses, body);
        return shownDose(key, no, { ...body, at: asTime(body.at), given: false });
      },
    );
  };

  /** The time in the path may be written in another way than it was sent. */
  const changeDose = (): Operation => {
    const key = someVisit();
    const no = somePrescription(key);
    const doses = visitOf(state(), key)?.prescriptions.get(no)?.doses;
    const second = random.pickOr([...(doses?.keys() ?? [])], 5 * 3600);
    const time = `${String(second / 3600).padStart(2, '0')}:00${random.pick(['', ':00'])}`;
    const path = `${target(key)}/VisitPrescription/Prescription/${no}/PrescriptionDose/Dose/${encodeURIComponent(time)}`;
    const isEnd = random.chance(0.3);
    const changes = random.pick([{ amount: random.decimal(12, 4) }, { given: true }]);
    return attempt({ method: isEnd ? 'DELETE' : 'PUT', target: path, ...(isEnd ? {} : { body: changes }) }, 200, (draft) => {
      const own = visitOf(draft, key)?.prescriptions.get(no)?.doses;
      const dose = own?.get(second);
      if (own === undefined || dose === undefined) return refuse(404);
      if (isEnd) own.delete(second);
      else Object.assign(dose, changes);
      if (!isPositive(dose.amount)) refuse(422);
      return shownDose(key, no, dose);
    });
  };

  /** With everything below it, as it was read. */
  const sendTreeBack = (): Operation => {
    const no = random.pickOr([...state().patients.keys()], -1, 0);
    if (no === -1) return createPatient();
    const tree = treeOf(state(), no);
    if (random.chance(0.4)) return attempt({ method: 'GET', target: `/care/Patient/${no}?@tree=true` }, 200, () => tree);
    const isChanged = tree.PatientVisit.length > 0 && random.chance(0.4);
    const visits = isChanged ? tree.PatientVisit.map((each) => ({ ...each, fee: '77.7' })) : [...tree.PatientVisit].reverse();
    const body = { ...tree, PatientVisit: visits, state: 'in' };
    return attempt({ method: 'PUT', target: `/care/Patient/${no}`, body }, 200, (draft) => {
      if (isChanged) refuse(422, { errors: visits.map((_, index) => ({ attribute: `PatientVisit[${index}].fee` })) });
      Object.assign(draft.patients.get(no) ?? {}, { state: 'in' });
      return shownPatient(draft, no);
    });
  };

  const sample = (): Operation => {
    const [key, code, kind] = [someVisit(), `s${random.integer(1, 30)}`, random.integer(1, 4)];
    const fields = {
      taken: someMoment(random),
      values: Array.from({ length: random.integer(0, 3) }, () => random.decimal(20, 5)),
      marks: random.pick([null, { low: 1.25, '10': 'x', '2': [true] }]),
    };
    // An object of JavaScript has keys that read as an index first.
    const marks = '{"low":1.25,"10":"x","2":[true]}';
    const text = JSON.stringify({ code, ...fields, marks: null }).replace('"marks":null', `"marks":${marks}`);
    const written = fields.marks === null ? {} : { text, shows: marks };
    if (kind <= 2) {
      const path = kind === 1 ? '/care/Sample' : `${target(key)}/SampleOf/Sample`;
      return attempt({ method: 'POST', target: path, body: { code, ...fields }, ...written }, 201, (draft) => {
        if (kind === 2 && visitOf(draft, key) === undefined) refuse(404);
        if (draft.samples.has(code)) refuse(409, { code: 'duplicate' });
        draft.samples.set(code, { ...fields, taken: asStored(fields.taken), visit: kind === 2 ? key : null });
        return shownSample(draft, code);
      });
    }
    if (kind === 3) {
      return attempt({ method: 'POST', target: '/care/SampleOf', body: { Visit: visitPath(key), Sample: code } }, 201, (draft) => {
        const given = draft.samples.get(code);
        if (given === undefined || visitOf(draft, key) === undefined) return refuse(422);
        if (given.visit !== null) refuse(409, { code: 'duplicate' });
        given.visit = key;
        return undefined;
      });
    }
    const linked = random.pickOr([...(visitOf(state(), key) === undefined ? [] : samplesOf(state(), key))], code);
    return attempt({ method: 'DELETE', target: `${target(key)}/SampleOf/Sample/${linked}` }, 200, (draft) => {
      const given = draft.samples.get(linked);
      if (given?.visit?.[0] !== key[0] || given.visit[1] !== key[1]) return refuse(404);
      given.visit = null;
      return undefined;
    });
  };

  const attend = (): Operation => {
    const id = `01980000-0000-7000-8000-${String(random.integer(1, 999_999)).padStart(12, '0')}`;
    const [key, doctor, hours] = [someVisit(), random.pickOr([...state().doctors.keys()], 'nobody@hospital.example'), random.decimal(8, 2)];
    const existing = random.pickOr([...state().attends.keys()], id);
    if (random.chance(0.3)) {
      const isEnd = random.chance(0.3);
      const request = {
        method: isEnd ? 'DELETE' : 'PUT',
        target: `/care/Attends/${existing}`,
        ...(isEnd ? {} : { body: { hours } }),
      } as const;
      return attempt(request, 200, (draft) => {
        const link = draft.attends.get(existing);
        if (link === undefined) return refuse(404);
        if (isEnd) draft.attends.delete(existing);
        else link.hours = hours;
        return { Doctor: link.doctor, Visit: visitPath(link.visit), hours: link.hours, __Id__: existing };
      });
    }
    const body = { Doctor: doctor, Visit: visitPath(key), hours, __Id__: id };
    return attempt({ method: 'POST', target: '/care/Attends', body }, 201, (draft) => {
      if (!draft.doctors.has(doctor) || visitOf(draft, key) === undefined) refuse(422);
      const isLinked = [...draft.attends.values()].some((each) => each.doctor === doctor && visitPath(each.visit) === visitPath(key));
      if (isLinked || draft.attends.has(id)) refuse(409, { code: 'duplicate' });
      draft.attends.set(id, { doctor, visit: key, hours });
      return body;
    });
  };

  return [
    [6, createPatient],
    [4, changePatient],
    [7, addVisit],
    [6, changeVisit],
    [2, removeSome],
    [4, addPrescription],
    [5, addDose],
    [4, changeDose],
    [4, sendTreeBack],
    [5, sample],
    [5, attend],
  ];
}

/** Where several parts are written at once, which of their faults is told is not said. */
function whole(work: () => void): void {
  if (refuses(work)) refuse('refused');
}

function refuses(work: () => void): boolean {
  try {
    work();
    return false;
  } catch (error) {
    if (error instanceof Refusal) return true;
    throw error;
  }
}
