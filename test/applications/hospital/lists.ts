// Every list that the hospital is asked for, with what it must hold.

import { Fraction } from '../decimals.ts';
import {
  costOf,
  costOfPatient,
  found,
  moment,
  prescriptionsOf,
  type State,
  samplesOf,
  shownBadge,
  shownBatch,
  shownDoctor,
  shownDose,
  shownDrug,
  shownPatient,
  shownPrescription,
  shownSample,
  shownSupplier,
  shownVisit,
  shownWard,
  sorted,
  treeOf,
  type VisitKey,
  visitKeys,
  visitOf,
  visitPath,
} from './state.ts';

export function listsOf(state: State): Map<string, readonly object[]> {
  return new Map<string, readonly object[]>([...careLists(state), ...filteredLists(state), ...pharmacyLists(state)]);
}

function careLists(state: State): readonly (readonly [string, readonly object[]])[] {
  const keys = visitKeys(state);
  const patients = sorted(state.patients).map(([no]) => no);
  const doctors = sorted(state.doctors).map(([email]) => email);
  return [
    ['/care/Ward', sorted(state.wards).map(([code]) => shownWard(state, code))],
    ['/care/Doctor', doctors.map((each) => shownDoctor(state, each))],
    ['/care/Doctor?@include=WorksIn,HasBadge,Mentors', doctors.map((each) => doctorWithLinks(state, each))],
    ['/care/Badge', sorted(state.badges).map(([serial]) => shownBadge(state, serial))],
    ['/care/Patient', patients.map((each) => shownPatient(state, each))],
    ['/care/Patient?@include=PatientVisit.VisitPrescription.PrescriptionDose', patients.map((each) => treeOf(state, each))],
    ['/care/Patient?@include=FamilyDoctor', patients.map((each) => patientWithDoctor(state, each))],
    ['/care/Visit', keys.map((each) => shownVisit(state, each))],
    [
      '/care/Visit?@include=PatientVisit,SampleOf',
      keys.map((each) => ({
        ...shownVisit(state, each),
        PatientVisit: shownPatient(state, each[0]),
        SampleOf: samplesOf(state, each).map((code) => shownSample(state, code)),
      })),
    ],
    ['/care/Prescription', keys.flatMap((key) => prescriptionsOf(state, key).map(([no]) => shownPrescription(state, key, no)))],
    [
      '/care/Dose',
      keys.flatMap((key) =>
        prescriptionsOf(state, key).flatMap(([no, { doses }]) => sorted(doses).map(([, dose]) => shownDose(key, no, dose))),
      ),
    ],
    ['/care/Attends', sorted(state.attends).map(([id]) => shownAttends(state, id))],
    ['/care/Sample', sorted(state.samples).map(([code]) => shownSample(state, code))],
  ];
}

function filteredLists(state: State): readonly (readonly [string, readonly object[]])[] {
  const keys = visitKeys(state);
  const visit = (key: VisitKey) => visitOf(state, key);
  const [from, to] = ['2026-03-01T20:30:00.5+02:00', '2026-03-02T12:00:00'];
  const patients = sorted(state.patients);
  const inTime = keys.filter((key) => {
    const at = moment(visit(key)?.at ?? '');
    return at >= moment(from) && at <= moment(to);
  });
  const heat = keys.filter((key) => (visit(key)?.temperature ?? 0) >= 37.5 && (visit(key)?.temperature ?? 0) <= 39.5);
  return [
    [
      `/care/Visit?at[between]=${encodeURIComponent(from)},${to}&@sort=-at`,
      inTime.sort((one, other) => moment(visit(other)?.at ?? '') - moment(visit(one)?.at ?? '')).map((each) => shownVisit(state, each)),
    ],
    ['/care/Visit?temperature[between]=37.5,39.5', heat.map((each) => shownVisit(state, each))],
    [
      '/care/Patient?cost[gt]=20.500&@sort=-cost,-no&@select=cost',
      patients
        .map(([no, each]) => ({ no, cost: costOfPatient(state, each) }))
        .filter(({ cost }) => cost.compare('20.5') > 0)
        .sort((one, other) => other.cost.compare(one.cost) || other.no - one.no),
    ],
    [
      '/care/Patient?@sort=turn,no&@select=turn',
      patients.map(([no, { turn }]) => ({ no, turn })).sort((one, other) => (one.turn ?? -1e9) - (other.turn ?? -1e9) || one.no - other.no),
    ],
    [
      '/care/Visit?cost=10.50&@select=cost',
      keys
        .filter((key) => costOf(state, visit(key) ?? missingVisit()).compare('10.5') === 0)
        .map((key) => ({ no: key[1], cost: Fraction.of('10.5'), __path__: visitPath(key) })),
    ],
    [
      '/care/Dose?at=08:00&@select=amount',
      keys.flatMap((key) =>
        prescriptionsOf(state, key).flatMap(([no, { doses }]) => {
          const dose = doses.get(8 * 3600);
          if (dose === undefined) return [];
          const { at, amount, __path__ } = shownDose(key, no, dose);
          return [{ at, amount, __path__ }];
        }),
      ),
    ],
    [
      `/care/Attends?Visit=${encodeURIComponent(visitPath([1, 1]))}`,
      sorted(state.attends)
        .filter(
          ([
            ,
            {
              visit: [patient, no],
            },
          ]) => patient === 1 && no === 1,
        )
        .map(([id]) => shownAttends(state, id)),
    ],
  ];
}

function pharmacyLists(state: State): readonly (readonly [string, readonly object[]])[] {
  const drugs = sorted(state.drugs);
  return [
    ['/pharmacy/Drug', drugs.map(([code]) => shownDrug(state, code))],
    [
      '/pharmacy/Drug?stock[lte]=40&@sort=-stock,code&@select=stock',
      drugs
        .filter(([, { stock }]) => Fraction.of(stock).compare(40) <= 0)
        .sort(([one, { stock: few }], [other, { stock: many }]) => Fraction.of(many).compare(few) || (one < other ? -1 : 1))
        .map(([code, { stock }]) => ({ code, stock })),
    ],
    ['/pharmacy/Batch', sorted(state.batches).map(([number]) => shownBatch(state, number))],
    [
      '/pharmacy/Batch?received[null]=false&@sort=received&@select=received',
      sorted(state.batches)
        .flatMap(([number, { received }]) => (received === null ? [] : [{ number, received }]))
        .sort((one, other) => moment(one.received) - moment(other.received)),
    ],
    ['/pharmacy/Usage', sorted(state.usages).map(([drug, times]) => ({ drug, times }))],
    ['/pharmacy/Supplier', sorted(state.suppliers).map(([code]) => shownSupplier(state, code))],
    [
      '/pharmacy/Supplier?@include=Supplies',
      sorted(state.suppliers).map(([code, { drugs: own }]) => ({
        ...shownSupplier(state, code),
        Supplies: sorted(own).map(([drug, link]) => ({ ...shownDrug(state, drug), '@link': link })),
      })),
    ],
    ['/pharmacy/Notice', state.notices.map((each, index) => ({ no: index + 1, ...each }))],
  ];
}

export function doctorWithLinks(state: State, email: string) {
  const { wards, badge, trainees } = found(state.doctors, email);
  return {
    ...shownDoctor(state, email),
    WorksIn: sorted(wards).map(([code, link]) => ({ ...shownWard(state, code), '@link': link })),
    HasBadge: badge === null ? null : shownBadge(state, badge),
    Mentors: [...trainees].sort().map((each) => shownDoctor(state, each)),
  };
}

export function patientWithDoctor(state: State, no: number) {
  const link = state.familyDoctors.get(no);
  const doctor = link === undefined ? null : { ...shownDoctor(state, link.doctor), '@link': { since: link.since } };
  return { ...shownPatient(state, no), FamilyDoctor: doctor };
}

function shownAttends(state: State, id: string) {
  const { doctor, visit, hours } = found(state.attends, id);
  return { Doctor: doctor, Visit: visitPath(visit), hours, __Id__: id };
}

function missingVisit(): never {
  throw new Error('a visit is missing');
}
