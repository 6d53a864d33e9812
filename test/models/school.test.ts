// The school's model: records, lists, choices, compound identity, links with attributes; without any function.

import { expect, test } from 'vitest';
import { check, property } from '../support/table.ts';
import { created, refused, serveModel } from './models.ts';

const school = { Name: 'North', Founded: '1950-09-01', Site: { Street: 'A 1', City: 'B', Postcode: '12345' } };
const student = (number: number) => ({
  'School.Core/Student': { Number: number, FirstName: 'Ann', LastName: 'B', Born: '2010-01-01', Gender: 'female' },
});
const students = '/api/School.Core/School/North/Students/Student';

test('a school has students and teachers, each with a number of its own', async () => {
  const served = await serveModel('school');
  await check(served, [
    { ask: 'POST /api/School.Core/School', body: { 'School.Core/School': school }, status: 200, has: created(school) },
    { ask: 'POST /api/School.Core/School', body: { 'School.Core/School': { ...school, Name: 'South' } }, status: 200 },
    {
      ask: 'POST /api/School.Core/School',
      body: { 'School.Core/School': { ...school, Name: 'X', Site: { ...school.Site, Postcode: '1' } } },
      status: 422,
      has: refused('attributes-invalid', ['Site.Postcode', 'value']),
    },
    {
      ask: `POST ${students}`,
      body: student(1),
      status: 200,
      has: created({ __path__: 'path://School.Core$School/North/School.Core$Students/School.Core$Student/1' }),
    },
    { ask: `POST ${students}`, body: student(1), status: 409 },
    { ask: `POST ${students.replace('North', 'South')}`, body: student(1), status: 200 },
    {
      ask: `POST ${students}`,
      body: { 'School.Core/Student': { Number: 2, FirstName: 'C', LastName: 'D', Born: '2010-01-01', Gender: 'x' } },
      status: 422,
      has: refused('attributes-invalid', ['Gender', 'value']),
    },
    {
      ask: 'POST /api/School.Core/School/North/Teachers/Teacher',
      body: { 'School.Core/Teacher': { Number: 1, Name: 'T' } },
      status: 200,
      has: created({ Gender: 'other', Salary: '2500.00' }),
    },
    {
      ask: 'GET /api/School.Core/School/North/__tree',
      status: 200,
      has: { '->': { 'School.Core/Students': [{ Number: 1 }], 'School.Core/Teachers': [{ Number: 1 }] } },
    },
    { ask: 'DELETE /api/School.Core/School/North', status: 200 },
    { ask: `GET ${students}/1`, status: 404 },
    { ask: 'GET /api/School.Core/Teacher/1', status: 200, has: { Name: 'T' } },
  ]);
});

test('classes are unique by name and grade, subjects keep their topics', async () => {
  const served = await serveModel('school');
  const post = (type: string, values: object, status: number, has?: unknown) => ({
    ask: `POST /api/School.Core/${type}`,
    body: { [`School.Core/${type}`]: values },
    status,
    ...(has === undefined ? {} : { has }),
  });
  await check(served, [
    post('Subject', { Code: 'ma', Title: 'Maths', Topics: ['sets', 'numbers'] }, 200, created({ Topics: ['sets', 'numbers'] })),
    post('Subject', { Code: 'x', Title: 'X', Topics: [1] }, 422, refused('attributes-invalid', ['Topics[0]', 'type'])),
    post('Class', { Name: 'a', Grade: 1, Homeroom: 'ma' }, 200),
    post('Class', { Name: 'a', Grade: 2 }, 200),
    post('Class', { Name: 'a', Grade: 1 }, 409),
    post('Class', { Name: 'b', Grade: 1, Homeroom: 'none' }, 422, refused('attributes-invalid', ['Homeroom', 'reference'])),
  ]);
});

test('links carry attributes, and each student has one contact', async () => {
  const served = await serveModel('school');
  const idOf = async (ask: string, body: object): Promise<unknown> =>
    property(property(property((await served.post(ask, body)).body, '0'), 'result'), '0');
  await served.post('/api/School.Core/School', { 'School.Core/School': school });
  const pupil = property(await idOf(students, student(1)), 'Id');
  const other = property(await idOf(students, student(2)), 'Id');
  const teacher = property(
    await idOf('/api/School.Core/School/North/Teachers/Teacher', { 'School.Core/Teacher': { Number: 1, Name: 'T' } }),
    'Id',
  );
  const contact = property(await idOf('/api/School.Core/ContactInfo', { 'School.Core/ContactInfo': { Phone: '+1 234 567' } }), 'Id');
  const link = (student: unknown, status: number) => ({
    ask: 'POST /api/School.Core/StudentContact',
    body: { 'School.Core/StudentContact': { Student: student, ContactInfo: contact } },
    status,
  });
  await check(served, [
    link(pupil, 200),
    link(other, 409),
    { ask: `GET ${students}/1/StudentContact/ContactInfo`, status: 200, has: [{ Phone: '+1 234 567' }] },
    {
      ask: 'POST /api/School.Core/Subject',
      body: { 'School.Core/Subject': { Code: 'ma', Title: 'Maths', Topics: [], TaughtBy: [{ Teacher: teacher, Hours: 4 }] } },
      status: 200,
      has: created({ Code: 'ma', '->': { 'School.Core/Teaches': [{ Teacher: teacher, Subject: 'ma', Hours: 4, In: null }] } }),
    },
    { ask: 'GET /api/School.Core/Subject/ma/Teaches/Teacher', status: 200, has: [{ Name: 'T' }] },
  ]);
  expect((await served.get('/api/School.Core/Teaches')).body).toHaveLength(1);
});
