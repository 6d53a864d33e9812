// Writes as the model must make them, on plain data: what is refused is thrown.

import { Fraction } from '../decimals.ts';
import {
  asStored,
  asTime,
  type Batch,
  type Doctor,
  type Drug,
  moment,
  type Patient,
  type State,
  secondOf,
  type Visit,
  type VisitKey,
  visitOf,
} from './state.ts';

export class Refusal extends Error {
  readonly status: number | 'refused';
  readonly answer: Readonly<Record<string, unknown>> | undefined;

  constructor(status: number | 'refused', answer?: Readonly<Record<string, unknown>>) {
    super(`refused with ${status}`);
    this.status = status;
    this.answer = answer;
  }
}

export function refuse(status: number | 'refused', answer?: Readonly<Record<string, unknown>>): never {
  throw new Refusal(status, answer);
}

/** As a failing statement of a workflow does. */
export function fail(detail: string): never {
  return refuse(422, { code: 'dataflow-failed', detail });
}

export interface DoseBody {
  readonly at: string;
  readonly amount: string;
}

export interface PrescriptionBody {
  readonly no: number;
  readonly drug: string;
  readonly PrescriptionDose?: readonly DoseBody[];
}

export interface VisitBody {
  readonly no: number;
  readonly at: string;
  readonly ends?: string;
  readonly kind?: string;
  readonly temperature?: number;
  readonly fee?: string;
  readonly VisitPrescription?: readonly PrescriptionBody[];
}

export function isPositive(amount: string): boolean {
  return Fraction.of(amount).compare(0) > 0;
}

export function createVisit(state: State, patient: Patient, body: VisitBody): void {
  const { no, at, ends, kind = 'plain', temperature = null, fee = '20.50', VisitPrescription = [] } = body;
  checkEnds(at, ends ?? null);
  checkMoment(state, at, undefined);
  if (patient.visits.has(no)) refuse(409, { code: 'duplicate' });
  const paid = kind === 'urgent' ? Fraction.of(fee).times('1.5').text() : fee;
  const visit: Visit = {
    at: asStored(at),
    ends: ends === undefined ? null : asStored(ends),
    kind,
    temperature,
    fee: paid,
    prescriptions: new Map(),
  };
  patient.visits.set(no, visit);
  for (const each of VisitPrescription) createPrescription(state, visit, each);
}

export function checkEnds(at: string, ends: string | null): void {
  if (ends !== null && moment(ends) <= moment(at)) refuse(422, { errors: [{ attribute: 'ends', code: 'check' }] });
}

/** No two visits begin at the same moment, however it is written. */
export function checkMoment(state: State, at: string, except: Visit | undefined): void {
  for (const { visits } of state.patients.values())
    for (const each of visits.values()) if (each !== except && moment(each.at) === moment(at)) refuse(409, { code: 'duplicate' });
}

export function createPrescription(state: State, visit: Visit, { no, drug, PrescriptionDose = [] }: PrescriptionBody): void {
  if (!state.drugs.has(drug)) refuse(422);
  if (visit.prescriptions.has(no)) refuse(409, { code: 'duplicate' });
  const prescription = { drug, doses: new Map() };
  visit.prescriptions.set(no, prescription);
  state.usages.set(drug, (state.usages.get(drug) ?? 0) + 1);
  for (const each of PrescriptionDose) createDose(prescription.doses, each);
}

export function createDose(doses: Map<number, { at: string; amount: string; given: boolean }>, { at, amount }: DoseBody): void {
  if (!isPositive(amount)) refuse(422, { code: 'attributes-invalid' });
  if (doses.has(secondOf(at))) refuse(409, { code: 'duplicate' });
  doses.set(secondOf(at), { at: asTime(at), amount, given: false });
}

function forgetPrescription(state: State, visit: Visit, no: number): void {
  const drug = visit.prescriptions.get(no)?.drug ?? '';
  visit.prescriptions.delete(no);
  state.usages.set(drug, (state.usages.get(drug) ?? 0) - 1);
}

export function removePrescription(state: State, visit: Visit | undefined, no: number): void {
  if (visit?.prescriptions.has(no) !== true) refuse(404);
  else forgetPrescription(state, visit, no);
}

export function removeVisit(state: State, [patient, no]: VisitKey): void {
  const visit = visitOf(state, [patient, no]);
  if (visit === undefined) refuse(404);
  for (const prescription of [...visit.prescriptions.keys()]) forgetPrescription(state, visit, prescription);
  for (const [id, { visit: other }] of [...state.attends]) if (other[0] === patient && other[1] === no) state.attends.delete(id);
  for (const sample of state.samples.values()) if (sample.visit?.[0] === patient && sample.visit[1] === no) sample.visit = null;
  state.patients.get(patient)?.visits.delete(no);
}

export function removePatient(state: State, no: number): void {
  const patient = state.patients.get(no);
  if (patient === undefined) refuse(404);
  for (const visit of [...patient.visits.keys()]) removeVisit(state, [no, visit]);
  state.patients.delete(no);
  state.familyDoctors.delete(no);
}

export function removeDoctor(state: State, email: string): void {
  if (!state.doctors.delete(email)) refuse(404);
  for (const [patient, { doctor }] of [...state.familyDoctors]) if (doctor === email) state.familyDoctors.delete(patient);
  for (const [id, { doctor }] of [...state.attends]) if (doctor === email) state.attends.delete(id);
  for (const { trainees } of state.doctors.values()) trainees.delete(email);
}

export function removeDrug(state: State, code: string): void {
  if (!state.drugs.has(code)) refuse(404);
  for (const { visits } of state.patients.values())
    for (const { prescriptions } of visits.values())
      for (const { drug } of prescriptions.values()) if (drug === code) refuse(409, { code: 'instance-referenced' });
  state.drugs.delete(code);
  state.usages.delete(code);
  for (const [number, { drug }] of [...state.batches]) if (drug === code) state.batches.delete(number);
  for (const { drugs } of state.suppliers.values()) drugs.delete(code);
}

/** With the triggers of an update. */
export function changeDrug(state: State, code: string, changes: Partial<Drug>): void {
  const drug = state.drugs.get(code);
  if (drug === undefined) refuse(404);
  Object.assign(drug, changes);
  const stock = Fraction.of(drug.stock);
  if (stock.compare(0) < 0) fail(`There is not enough of ${drug.name}.`);
  if (stock.compare(10) < 0) state.notices.push({ drug: code, left: drug.stock });
}

export function checkBatch(state: State, number: string, { drug, amount, expires, received }: Omit<Batch, 'label'>): void {
  if (!isPositive(amount) || !state.drugs.has(drug)) refuse(422, { code: 'attributes-invalid' });
  for (const [other, each] of state.batches) {
    if (other === number) continue;
    if (each.drug === drug && each.expires === expires) refuse(409, { code: 'duplicate' });
    if (received !== null && each.received !== null && moment(each.received) === moment(received)) refuse(409, { code: 'duplicate' });
  }
}

export interface Delivery {
  readonly number: string;
  readonly drug: string;
  readonly amount: string;
  readonly expires: string;
}

export function receive(state: State, { number, drug, amount, expires }: Delivery): void {
  const before = state.batches.get(number);
  checkBatch(state, number, { drug, amount, expires, received: before?.received ?? null });
  const label = before === undefined ? `${drug}-${number}` : before.label;
  state.batches.set(number, { drug, amount, expires, received: before?.received ?? null, label });
  const stock = Fraction.of(state.drugs.get(drug)?.stock ?? '0').plus(amount);
  changeDrug(state, drug, { stock: stock.text() });
  if (stock.compare(150) > 0) fail(`There is no room for ${number}.`);
}

export function linkBadge(state: State, doctor: Doctor | undefined, serial: string): void {
  if (doctor === undefined || !state.badges.has(serial)) refuse(422);
  if (doctor.badge !== null || [...state.doctors.values()].some(({ badge }) => badge === serial)) refuse(409, { code: 'duplicate' });
  doctor.badge = serial;
}
