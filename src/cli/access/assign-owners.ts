// `platform access assign-owners`: owners for what was stored before access control was switched on.

import { type AssignedOwners, assignOwners, type OwnersWanted } from '../../access/assign-owners.ts';
import type { Plan } from '../../plan/plan.ts';
import { StartRefused } from '../../store/store.ts';
import { withEngine } from '../engine.ts';
import { counted, printable } from '../report.ts';
import type { Terminal } from '../terminal.ts';
import { type OfProject, readGuarded } from './project.ts';

export interface AssignOptions extends OfProject {
  readonly from: string;
  readonly entity?: readonly string[];
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** So many values that name no user are printed. */
const mostPrinted = 20;

export async function assign(path: string, options: AssignOptions, terminal: Terminal): Promise<number> {
  const guarded = await readGuarded(path, options, terminal, true);
  if (guarded === undefined) return 1;
  const { plan, access } = guarded;
  const wanted = wantedIn(plan, options);
  const done = await withEngine(guarded, plan, terminal, ({ engine }) =>
    engine.asSystem(async (context) => {
      const all: AssignedOwners[] = [];
      for (const each of wanted) all.push(await assignOwners(each, access, context));
      return all;
    }),
  );
  if (options.json === true) terminal.out(JSON.stringify(done.map((each) => ({ ...each, unknown: Object.fromEntries(each.unknown) }))));
  else for (const each of done) for (const line of linesOf(each, options)) terminal.out(line);
  return done.some(({ unknownCount }) => unknownCount > 0) ? 1 : 0;
}

/** The named entities, else all that have the attribute. */
function wantedIn({ entities }: Plan, { from, entity, dryRun = false }: AssignOptions): readonly OwnersWanted[] {
  const own = [...entities.values()].filter((each) => each.entity.system === undefined);
  for (const name of entity ?? [])
    if (own.every(({ type }) => type !== name))
      throw new StartRefused(`There is no entity ${name}; there are ${own.map(({ type }) => type).join(', ')}.`);
  const chosen = own.filter(({ type }) => entity === undefined || entity.includes(type));
  const wanted = chosen.flatMap((plan): readonly OwnersWanted[] => {
    const attribute = plan.attribute.get(from);
    if (attribute === undefined && entity !== undefined) throw new StartRefused(`${plan.type} has no attribute ${from}.`);
    return attribute === undefined ? [] : [{ plan, attribute, isTrial: dryRun }];
  });
  if (wanted.length === 0) throw new StartRefused(`No entity has an attribute ${from}.`);
  return wanted;
}

function linesOf({ type, assigned, empty, unknown, unknownCount }: AssignedOwners, { from, dryRun }: AssignOptions): readonly string[] {
  const would = dryRun === true ? 'would get' : assigned === 1 ? 'has' : 'have';
  const without = empty === 0 ? '' : `; ${counted(empty, 'instance')} without ${from}`;
  const listed = [...unknown].slice(0, mostPrinted).map(([value, count]) => `  no user ${printable(value)}: ${counted(count, 'instance')}`);
  const rest = unknown.size > mostPrinted ? [`  and ${unknown.size - mostPrinted} more that name no user`] : [];
  const unowned = unknownCount === 0 ? '' : `; ${counted(unknownCount, 'instance')} ${unknownCount === 1 ? 'names' : 'name'} no user`;
  return [
    `${type}: ${counted(assigned, 'instance')} ${would} an owner${dryRun === true ? '' : ' now'}${without}${unowned}`,
    ...listed,
    ...rest,
  ];
}
