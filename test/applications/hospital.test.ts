// A hospital: patients with visits, prescriptions and doses, doctors and wards, samples, a pharmacy.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { testApplication } from './harness.ts';
import { HospitalOracle } from './hospital/oracle.ts';

const source = (name: string) => readFileSync(join(import.meta.dirname, 'hospital', 'src', name), 'utf8');

testApplication({
  name: 'a hospital',
  folder: 'hospital',
  surface: 'current',
  oracle: (random) => new HospitalOracle(random),
  next: {
    files: {
      'src/care.al': source('care.al')
        .replace('field @enum("surgery", "medicine", "lab")', 'branch @enum("surgery", "medicine", "lab") @was("field")')
        .replace('beds Int @default(4),', 'beds Int @default(4),\n  floor Int,')
        .replace('contains(Patient, Visit)', 'contains(Patient, Visit) @was("PatientVisit")')
        .replaceAll(/(?<!")PatientVisit/g, 'PatientStay'),
      'src/pharmacy.al': source('pharmacy.al')
        .replace('offers Int', 'value Decimal @expr(cheapest * stock),\n  offers Int')
        .replace(/\/\/ What runs out\.\nentity Notice \{[^}]*\}\n/, '')
        .replace(/workflow @after update:Drug \{[\s\S]*?\n\}\n/, ''),
    },
    apply: ['--set', 'Ward.floor=2'],
  },
});
