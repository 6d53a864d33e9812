// What the hospital keeps, in plain data, and what follows from it: paths, computed attributes, instances as they are shown.

import { Fraction, sum } from '../decimals.ts';

export interface Dose {
  at: string;
  amount: string;
  given: boolean;
}

export interface Prescription {
  drug: string;
  /** By the second of the day. */
  doses: Map<number, Dose>;
}

export interface Visit {
  at: string;
  ends: string | null;
  kind: string;
  temperature: number | null;
  fee: string;
  prescriptions: Map<number, Prescription>;
}

export interface Patient {
  name: string;
  born: string;
  state: string;
  card: { insurer: string; number: string | null; share: string };
  vitals: { weight: string; temperature: number | null; pulses: number[] | null } | null;
  turn: number | null;
  visits: Map<number, Visit>;
}

export interface Drug {
  name: string;
  prices: string[];
  limits: Record<string, number> | null;
  pack: { size: number; content: string; unit: string };
  stock: string;
}

export interface Batch {
  drug: string;
  amount: string;
  expires: string;
  received: string | null;
  label: string;
}

export interface Sample {
  taken: string;
  values: string[];
  marks: Record<string, unknown> | null;
  visit: VisitKey | null;
}

export interface Doctor {
  name: string;
  field: string;
  rate: string;
  badge: string | null;
  wards: Map<string, { role: string; since: string | null; share: string }>;
  trainees: Set<string>;
}

export type VisitKey = readonly [patient: number, visit: number];

export interface State {
  wards: Map<string, { name: string; beds: number; opens: string }>;
  doctors: Map<string, Doctor>;
  badges: Map<string, string>;
  patients: Map<number, Patient>;
  familyDoctors: Map<number, { doctor: string; since: string | null }>;
  attends: Map<string, { doctor: string; visit: VisitKey; hours: string }>;
  samples: Map<string, Sample>;
  drugs: Map<string, Drug>;
  batches: Map<string, Batch>;
  usages: Map<string, number>;
  suppliers: Map<string, { name: string; drugs: Map<string, { price: string; terms: { days: number; discount: string } | null }> }>;
  notices: { drug: string; left: string }[];
}

export function emptyState(): State {
  return {
    wards: new Map(),
    doctors: new Map(),
    badges: new Map(),
    patients: new Map(),
    familyDoctors: new Map(),
    attends: new Map(),
    samples: new Map(),
    drugs: new Map(),
    batches: new Map(),
    usages: new Map(),
    suppliers: new Map(),
    notices: [],
  };
}

// Order and moments.

export function sorted<K extends string | number, V>(map: ReadonlyMap<K, V>): readonly (readonly [K, V])[] {
  return [...map].sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
}

/** Without a zone it is UTC. */
export function moment(text: string): number {
  return Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`);
}

/** With an offset it becomes UTC, with the digits that it had. */
export function asStored(text: string): string {
  if (!/[+-]\d\d:\d\d$/.test(text)) return text;
  const fraction = /\.\d+/.exec(text)?.[0] ?? '';
  return `${new Date(moment(text)).toISOString().slice(0, 19)}${fraction}Z`;
}

/** A time of day, with the seconds that it may be sent without. */
export function asTime(text: string): string {
  return text.length === 5 ? `${text}:00` : text;
}

export function secondOf(time: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
  return hours * 3600 + minutes * 60 + seconds;
}

/** As many as 34 digits that count, rounded half to even. */
export function quotient(top: Fraction, bottom: number): Fraction {
  const exact = top.over(bottom);
  let places = 34 - String(exact.top / exact.bottom).replace('-', '').length;
  if (exact.top / exact.bottom === 0n) {
    places = 34;
    while (exact.top !== 0n && exact.times(10n ** BigInt(places - 33)).compare(1) < 0) places += 1;
  }
  return exact.round(places);
}

export function greatest(values: readonly (string | Fraction)[]): Fraction | null {
  return values
    .map((each) => Fraction.of(each))
    .reduce<Fraction | null>((most, each) => (most === null || each.compare(most) > 0 ? each : most), null);
}

// Paths.

export function visitPath([patient, visit]: VisitKey): string {
  return `path://care$Patient/${patient}/care$PatientVisit/care$Visit/${visit}`;
}

export function prescriptionPath(visit: VisitKey, no: number): string {
  return `${visitPath(visit)}/care$VisitPrescription/care$Prescription/${no}`;
}

// What is computed.

export function cheapest({ prices }: Drug): Fraction {
  const most = greatest(prices.map((each) => Fraction.of(each).times(-1)));
  if (most === null) throw new Error('a drug without prices');
  return most.times(-1);
}

export function price(state: State, { drug, doses }: Prescription): Fraction {
  const of = state.drugs.get(drug);
  if (of === undefined) throw new Error(`a prescription of nothing: ${drug}`);
  return sum([...doses.values()].map(({ amount }) => amount))
    .times(cheapest(of))
    .round(2);
}

export function drugsOf(state: State, visit: Visit): Fraction {
  return sum([...visit.prescriptions.values()].map((each) => price(state, each)));
}

export function costOf(state: State, visit: Visit): Fraction {
  const all = drugsOf(state, visit).plus(visit.fee);
  return all.compare('10.5') < 0 ? Fraction.of('10.5') : all;
}

export function costOfPatient(state: State, { visits }: Patient): Fraction {
  return sum([...visits.values()].map((each) => costOf(state, each)));
}

export function owed(state: State, patient: Patient): Fraction {
  return costOfPatient(state, patient).times(Fraction.of(1).minus(patient.card.share)).round(2);
}

export function patientsOf(state: State, doctor: string): readonly number[] {
  return sorted(state.familyDoctors)
    .filter(([, link]) => link.doctor === doctor)
    .map(([patient]) => patient);
}

/** Eighteen years on; the last of a shorter month. */
function adult(born: string): string {
  const year = Number(born.slice(0, 4)) + 18;
  const text = String(year).padStart(4, '0');
  return born.endsWith('02-29') && year % 4 !== 0 ? `${text}-02-28` : `${text}${born.slice(4)}`;
}

// What is shown.

export function shownWard(state: State, code: string) {
  const ward = found(state.wards, code);
  const rates = [...state.doctors.values()].filter(({ wards }) => wards.has(code)).map(({ rate }) => rate);
  return { code, ...ward, staff: rates.length, pay: sum(rates), perBed: sum(rates).over(ward.beds).round(3) };
}

export function shownDoctor(state: State, email: string) {
  const { name, field, rate, badge, trainees } = found(state.doctors, email);
  const patients = patientsOf(state, email);
  const turnover = sum(patients.map((each) => owed(state, found(state.patients, each))));
  const mentors = [...state.doctors.values()].filter((each) => each.trainees.has(email));
  return {
    email,
    name,
    field,
    rate,
    patients: patients.length,
    turnover,
    bonus: turnover.times('0.015').plus(Fraction.of(rate).over(3)).round(4),
    trainees: trainees.size,
    senior: greatest(mentors.map((each) => each.rate)),
    badge: badge === null ? null : state.badges.get(badge),
  };
}

export function shownBadge(state: State, serial: string) {
  const holder = [...state.doctors.values()].find(({ badge }) => badge === serial);
  return { serial, color: state.badges.get(serial), holder: holder?.name ?? null };
}

export function shownPatient(state: State, no: number) {
  const { visits, ...patient } = found(state.patients, no);
  const all = [...visits.values()];
  const temperatures = all.flatMap(({ temperature }) => (temperature === null ? [] : [temperature]));
  const last = all.reduce<string | null>((most, { at }) => (most === null || moment(at) > moment(most) ? at : most), null);
  const doctor = state.familyDoctors.get(no)?.doctor;
  return {
    no,
    ...patient,
    initials: patient.name
      .split(' ')
      .map((part) => part[0])
      .join(''),
    adult: adult(patient.born),
    visits: visits.size,
    cost: costOfPatient(state, { ...patient, visits }),
    owed: owed(state, { ...patient, visits }),
    last,
    fever: temperatures.length === 0 ? null : Math.max(...temperatures),
    doctor: doctor === undefined ? null : found(state.doctors, doctor).name,
  };
}

export function visitOf(state: State, [patient, no]: VisitKey): Visit | undefined {
  return state.patients.get(patient)?.visits.get(no);
}

export function shownVisit(state: State, key: VisitKey) {
  const { prescriptions: _, ...visit } = visitOf(state, key) ?? missing(key);
  const samples = samplesOf(state, key);
  const { temperature } = visit;
  return {
    no: key[1],
    ...visit,
    warm: temperature === null ? null : temperature * 1.8 + 32,
    drugs: drugsOf(state, { ...visit, prescriptions: _ }),
    cost: costOf(state, { ...visit, prescriptions: _ }),
    patient: found(state.patients, key[0]).name,
    samples: samples.length,
    peak: greatest(samples.flatMap((code) => greatest(found(state.samples, code).values) ?? [])),
    __path__: visitPath(key),
  };
}

export function samplesOf(state: State, [patient, no]: VisitKey): readonly string[] {
  return sorted(state.samples)
    .filter(([, { visit }]) => visit !== null && visit[0] === patient && visit[1] === no)
    .map(([code]) => code);
}

export function shownPrescription(state: State, key: VisitKey, no: number) {
  const prescription = found((visitOf(state, key) ?? missing(key)).prescriptions, no);
  const { drug, doses } = prescription;
  const times = sorted(doses).map(([, { at }]) => at.slice(0, 5));
  return {
    no,
    drug,
    doses: doses.size,
    total: sum([...doses.values()].map(({ amount }) => amount)),
    price: price(state, prescription),
    schedule: `${drug}: ${times.join(', ')}`,
    __path__: prescriptionPath(key, no),
  };
}

export function shownDose(key: VisitKey, prescription: number, dose: Dose) {
  const path = `${prescriptionPath(key, prescription)}/care$PrescriptionDose/care$Dose/${encodeURIComponent(dose.at)}`;
  return { ...dose, half: Fraction.of(dose.amount).over(2), __path__: path };
}

export function shownSample(state: State, code: string) {
  const { visit: _, ...sample } = found(state.samples, code);
  const [high, low] = [greatest(sample.values), greatest(sample.values.map((each) => Fraction.of(each).times(-1)))];
  return { code, ...sample, high, spread: high === null || low === null ? null : high.plus(low) };
}

export function shownDrug(state: State, code: string) {
  const drug = found(state.drugs, code);
  return {
    code,
    ...drug,
    cheapest: cheapest(drug),
    strength: Fraction.of(drug.pack.content).over(drug.pack.size).round(3),
    offers: [...state.suppliers.values()].filter(({ drugs }) => drugs.has(code)).length,
  };
}

export function shownBatch(state: State, number: string) {
  const batch = found(state.batches, number);
  return { number, ...batch, worth: cheapest(found(state.drugs, batch.drug)).times(batch.amount) };
}

export function shownSupplier(state: State, code: string) {
  const { name, drugs } = found(state.suppliers, code);
  return { code, name, drugs: drugs.size, dearest: greatest([...drugs.keys()].map((each) => cheapest(found(state.drugs, each)))) };
}

export function visitKeys(state: State): readonly VisitKey[] {
  return sorted(state.patients).flatMap(([no, { visits }]) => sorted(visits).map(([visit]): VisitKey => [no, visit]));
}

export function prescriptionsOf(state: State, key: VisitKey): readonly (readonly [number, Prescription])[] {
  return sorted((visitOf(state, key) ?? missing(key)).prescriptions);
}

/** A patient with everything that it contains. */
export function treeOf(state: State, no: number) {
  const visits = sorted(found(state.patients, no).visits).map(([visit]) => {
    const key: VisitKey = [no, visit];
    const prescriptions = prescriptionsOf(state, key).map(([number, { doses }]) => ({
      ...shownPrescription(state, key, number),
      PrescriptionDose: sorted(doses).map(([, dose]) => shownDose(key, number, dose)),
    }));
    return { ...shownVisit(state, key), VisitPrescription: prescriptions };
  });
  return { ...shownPatient(state, no), PatientVisit: visits };
}

export function found<K, V>(map: ReadonlyMap<K, V>, key: K): V {
  return map.get(key) ?? missing(key);
}

function missing(key: unknown): never {
  throw new Error(`the oracle does not know ${String(key)}`);
}
