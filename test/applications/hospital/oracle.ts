// The hospital in plain code: draws requests to people, wards and their links; those to visits, drugs and workflows stand beside it.

import { Fraction } from '../decimals.ts';
import type { Operation, Oracle, Request } from '../harness.ts';
import type { Random } from '../random.ts';
import { linkBadge, Refusal, refuse, removeDoctor } from './changes.ts';
import { drugOperations } from './drugs.ts';
import { doctorWithLinks, listsOf, patientWithDoctor } from './lists.ts';
import { asTime, emptyState, type State, shownBadge, shownDoctor, shownPatient, shownWard } from './state.ts';
import { visitOperations } from './visits.ts';
import { deliveredTogether, workflowOperations } from './workflows.ts';

export type Choice = readonly [weight: number, operation: () => Operation];

/** What draws requests works with. */
export interface Course {
  readonly random: Random;
  readonly state: () => State;
  /** Done on a copy, and kept only where nothing refuses it. */
  attempt(request: Pick<Operation, 'shows'> & Request, status: number, work: (state: State) => unknown): Operation;
}

export class HospitalOracle implements Oracle {
  #state = emptyState();
  readonly #random: Random;
  readonly #choices: readonly Choice[];
  readonly #course: Course;

  constructor(random: Random) {
    this.#random = random;
    const course: Course = {
      random,
      state: () => this.#state,
      attempt: (request, status, work) => {
        const draft = structuredClone(this.#state);
        const body = request.body === undefined ? {} : { body: json(request.body) };
        try {
          const answer = work(draft);
          this.#state = draft;
          return { ...request, ...body, status, answer };
        } catch (error) {
          if (!(error instanceof Refusal)) throw error;
          return { ...request, ...body, status: error.status, answer: error.answer };
        }
      },
    };
    this.#course = course;
    this.#choices = [...staffOperations(course), ...visitOperations(course), ...drugOperations(course), ...workflowOperations(course)];
  }

  operation(): Operation {
    return this.#random.weighted(this.#choices)();
  }

  together(): readonly Operation[] {
    return deliveredTogether(this.#course);
  }

  lists(): ReadonlyMap<string, readonly object[]> {
    return listsOf(this.#state);
  }

  /** Doctors have another name for their field, wards a floor, visits stand under another relationship; notices are gone. */
  nextLists(): ReadonlyMap<string, readonly object[]> {
    const lists = [...this.lists()].filter(([target]) => target !== '/pharmacy/Notice');
    return new Map(lists.map(([target, rows]) => [target.replaceAll('PatientVisit', 'PatientStay'), rows.map(changed)]));
  }
}

/** A row as the next version of the model shows it. */
function changed(row: object): object {
  const inner = (each: unknown): unknown => {
    if (typeof each === 'string') return each.replaceAll('care$PatientVisit', 'care$PatientStay');
    if (Array.isArray(each)) return each.map(inner);
    if (typeof each !== 'object' || each === null || each instanceof Fraction) return each;
    const names: Readonly<Record<string, string>> = { field: 'branch', PatientVisit: 'PatientStay' };
    const entries = Object.entries(each).map(([key, one]) => [names[key] ?? key, inner(one)]);
    const isWard = 'perBed' in each;
    const cheapest = 'stock' in each && 'cheapest' in each ? each.cheapest : undefined;
    return {
      ...Object.fromEntries(entries),
      ...(isWard ? { floor: 2 } : {}),
      ...(cheapest instanceof Fraction && 'stock' in each ? { value: cheapest.times(String(each.stock)) } : {}),
    };
  };
  return Object(inner(row));
}

/** As it is sent. */
export function json(value: unknown): unknown {
  if (value instanceof Fraction) return value.text();
  if (Array.isArray(value)) return value.map(json);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, json(each)]));
}

const emails = Array.from({ length: 7 }, (_, index) => `doc${index + 1}@hospital.example`);
const wardCodes = ['a', 'b/1', 'c c', 'é'];

function staffOperations({ random, state, attempt }: Course): readonly Choice[] {
  const someDoctor = () => random.pickOr([...state().doctors.keys()], 'nobody@hospital.example');
  const someWard = () => random.pickOr([...state().wards.keys()], 'nowhere');
  const link = () => ({
    role: random.pick(['head', 'staff']),
    ...(random.chance(0.5) ? { since: random.pick(['2020-02-29', '2024-01-01']) } : {}),
    ...(random.chance(0.5) ? { share: random.decimal(2, 3) } : {}),
  });
  const whole = (given: ReturnType<typeof link>) => ({ since: null, share: '1', ...given });

  const createWard = (): Operation => {
    const body = {
      code: random.pick(wardCodes),
      name: 'Ward',
      beds: random.integer(1, 9),
      opens: random.pick(['06:30', '06:30:00', '07:00']),
    };
    return attempt({ method: 'POST', target: '/care/Ward', body }, 201, (draft) => {
      const { code, ...ward } = body;
      if (draft.wards.has(code)) refuse(409, { code: 'duplicate' });
      draft.wards.set(code, { ...ward, opens: asTime(ward.opens) });
      return shownWard(draft, code);
    });
  };

  const createDoctor = (): Operation => {
    const fields = {
      name: `Doctor ${random.integer(1, 5)}`,
      field: random.pick(['surgery', 'medicine', 'lab', 'lab', 'magic']),
      rate: random.decimal(90, 3),
    };
    const email = random.pick(emails);
    const wards = [...state().wards.keys()].filter(() => random.chance(0.4)).map((code) => ({ code, '@link': link() }));
    const body = { email, ...fields, ...(wards.length === 0 ? {} : { WorksIn: wards }) };
    return attempt({ method: 'POST', target: '/care/Doctor', body }, 201, (draft) => {
      const isFaulty = fields.field === 'magic' || Fraction.of(fields.rate).compare(0) <= 0;
      if (isFaulty) refuse(draft.doctors.has(email) ? 'refused' : 422);
      if (draft.doctors.has(email)) refuse(409);
      const links = new Map(wards.map((each) => [each.code, whole(each['@link'])]));
      draft.doctors.set(email, { ...fields, badge: null, wards: links, trainees: new Set() });
      return undefined;
    });
  };

  const changeDoctor = (): Operation => {
    const email = someDoctor();
    const changes = random.pick([
      { rate: random.decimal(90, 3) },
      { name: `Doctor ${random.integer(1, 9)}` },
      { field: 'lab' },
      { bonus: '-1' },
    ]);
    return attempt({ method: 'PATCH', target: `/care/Doctor/${encodeURIComponent(email)}`, body: changes }, 200, (draft) => {
      const doctor = draft.doctors.get(email);
      if (doctor === undefined) return refuse(404);
      if ('bonus' in changes) refuse(422);
      Object.assign(doctor, changes);
      if (Fraction.of(doctor.rate).compare(0) <= 0) refuse(422, { errors: [{ attribute: 'rate', code: 'check' }] });
      return shownDoctor(draft, email);
    });
  };

  /** What was read is sent back, with one change. */
  const sendDoctorBack = (): Operation => {
    const email = random.pickOr([...state().doctors.keys()], '', 0);
    if (email === '') return createDoctor();
    const body = { ...doctorWithLinks(state(), email), name: `Doctor ${random.integer(1, 9)}` };
    const isChanged = body.WorksIn.length > 0 && random.chance(0.3);
    const sent = isChanged ? { ...body, WorksIn: body.WorksIn.map((each) => ({ ...each, beds: each.beds + 1 })) } : body;
    return attempt({ method: 'PUT', target: `/care/Doctor/${encodeURIComponent(email)}`, body: sent }, 200, (draft) => {
      if (isChanged) refuse(422, { errors: body.WorksIn.map((_, index) => ({ attribute: `WorksIn[${index}].beds` })) });
      Object.assign(draft.doctors.get(email) ?? {}, { name: body.name });
      return shownDoctor(draft, email);
    });
  };

  const hire = (): Operation => {
    const [email, code, given] = [someDoctor(), someWard(), link()];
    const isFaulty = random.chance(0.1);
    const body = { code, '@link': isFaulty ? { ...given, role: 'porter' } : given };
    return attempt({ method: 'POST', target: `/care/Doctor/${encodeURIComponent(email)}/WorksIn/Ward`, body }, 201, (draft) => {
      const doctor = draft.doctors.get(email);
      if (doctor === undefined) return refuse(isFaulty || !draft.wards.has(code) ? 'refused' : 404);
      if (!draft.wards.has(code) || isFaulty) refuse(doctor.wards.has(code) ? 'refused' : 422);
      if (doctor.wards.has(code)) refuse(409, { code: 'duplicate' });
      doctor.wards.set(code, whole(given));
      return { ...shownWard(draft, code), '@link': whole(given) };
    });
  };

  const changeHire = (): Operation => {
    const email = someDoctor();
    const code = random.pickOr([...(state().doctors.get(email)?.wards.keys() ?? [])], 'nowhere');
    const isEnd = random.chance(0.3);
    const target = `/care/Doctor/${encodeURIComponent(email)}/WorksIn/Ward/${encodeURIComponent(code)}`;
    const changes = { '@link': { share: random.decimal(3, 3) }, ...(random.chance(0.5) ? { beds: random.integer(1, 9) } : {}) };
    return attempt({ method: isEnd ? 'DELETE' : 'PUT', target, ...(isEnd ? {} : { body: changes }) }, 200, (draft) => {
      const wards = draft.doctors.get(email)?.wards;
      const given = wards?.get(code);
      if (wards === undefined || given === undefined) return refuse(404);
      if (isEnd) {
        wards.delete(code);
        return undefined;
      }
      Object.assign(given, changes['@link']);
      if (changes.beds !== undefined) Object.assign(draft.wards.get(code) ?? {}, { beds: changes.beds });
      return { ...shownWard(draft, code), '@link': given };
    });
  };

  const badge = (): Operation => {
    const [email, serial] = [someDoctor(), `n${random.integer(1, 9)}`];
    const kind = random.integer(1, 4);
    if (kind === 1)
      return attempt({ method: 'POST', target: '/care/Badge', body: { serial, color: 'red' } }, 201, (draft) => {
        if (draft.badges.has(serial)) refuse(409);
        draft.badges.set(serial, 'red');
        return shownBadge(draft, serial);
      });
    if (kind === 2)
      return attempt({ method: 'POST', target: '/care/HasBadge', body: { Doctor: email, Badge: serial } }, 201, (draft) => {
        linkBadge(draft, draft.doctors.get(email), serial);
      });
    const held = state().doctors.get(email)?.badge ?? 'n99';
    const target = `/care/Doctor/${encodeURIComponent(email)}/HasBadge/Badge`;
    if (kind === 3)
      return attempt({ method: 'DELETE', target: `${target}/${held}` }, 200, (draft) => {
        const doctor = draft.doctors.get(email);
        if (doctor === undefined || doctor.badge === null) return refuse(404);
        doctor.badge = null;
        return undefined;
      });
    return attempt({ method: 'POST', target, body: { serial } }, 201, (draft) => {
      const doctor = draft.doctors.get(email);
      if (doctor === undefined) refuse(404);
      // The identifier alone links what exists, else it is created: its color has a default.
      if (!draft.badges.has(serial)) draft.badges.set(serial, 'blue');
      linkBadge(draft, doctor, serial);
      return shownBadge(draft, serial);
    });
  };

  const mentor = (): Operation => {
    const [one, other] = [someDoctor(), someDoctor()];
    if (random.chance(0.7)) {
      return attempt({ method: 'POST', target: '/care/Mentors', body: { mentor: one, trainee: other } }, 201, (draft) => {
        const [from, to] = [draft.doctors.get(one), draft.doctors.get(other)];
        if (from === undefined || to === undefined) return refuse(422);
        if (from.trainees.has(other)) refuse(409, { code: 'duplicate' });
        from.trainees.add(other);
        return undefined;
      });
    }
    const trainee = random.pickOr([...(state().doctors.get(one)?.trainees ?? [])], other);
    const target = `/care/Doctor/${encodeURIComponent(one)}/Mentors/Doctor/${encodeURIComponent(trainee)}`;
    return attempt({ method: 'DELETE', target }, 200, (draft) => {
      if (draft.doctors.get(one)?.trainees.delete(trainee) !== true) refuse(404);
    });
  };

  const remove = (): Operation => {
    if (random.chance(0.5)) {
      const email = someDoctor();
      return attempt({ method: 'DELETE', target: `/care/Doctor/${encodeURIComponent(email)}` }, 200, (draft) => removeDoctor(draft, email));
    }
    const code = someWard();
    return attempt({ method: 'DELETE', target: `/care/Ward/${encodeURIComponent(code)}` }, 200, (draft) => {
      if (!draft.wards.has(code)) refuse(404);
      const answer = shownWard(draft, code);
      draft.wards.delete(code);
      for (const { wards } of draft.doctors.values()) wards.delete(code);
      return answer;
    });
  };

  /** A patient with the doctor, as it was included. */
  const sendPatientBack = (): Operation => {
    const no = random.pickOr([...state().patients.keys()], -1, 0);
    if (no === -1) return createWard();
    const body = { ...patientWithDoctor(state(), no), name: `Ann ${random.pick(['Lee', 'Öz', 'de la Cruz'])}` };
    return attempt({ method: 'PUT', target: `/care/Patient/${no}`, body }, 200, (draft) => {
      Object.assign(draft.patients.get(no) ?? {}, { name: body.name });
      return shownPatient(draft, no);
    });
  };

  return [
    [2, createWard],
    [4, createDoctor],
    [3, changeDoctor],
    [3, sendDoctorBack],
    [3, hire],
    [3, changeHire],
    [5, badge],
    [3, mentor],
    [1, remove],
    [2, sendPatientBack],
  ];
}
