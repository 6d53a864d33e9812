// The entities of a module as a drawing: each is a button that leads to its page.

import { type KeyboardEvent, useMemo, useRef, useState } from 'react';
import { useModel } from '../../api/model.ts';
import { Diagram } from '../../components/graph/diagram.tsx';
import { layoutOf, type Point } from '../../components/graph/layout.ts';
import { curve, middleOf } from '../../components/graph/route.ts';
import { navigate } from '../../router.tsx';
import { type DrawnLine, drawnModule, type EntityBox, headHeight, rowHeight, titleOf } from './diagram-parts.ts';

export function ModelDiagram({ module }: { module: string }) {
  const model = useModel();
  const [text, setText] = useState('');
  const whole = useRef<SVGGElement>(null);
  const { boxes, lines, layout } = useMemo(() => {
    const drawn = drawnModule(module, model);
    return { ...drawn, layout: layoutOf(drawn.boxes, drawn.lines) };
  }, [module, model]);
  const wanted = text.trim().toLowerCase();
  const isFound = ({ entity }: EntityBox): boolean =>
    wanted === '' ||
    entity.name.toLowerCase().includes(wanted) ||
    entity.attributes.some((each) => each.name.toLowerCase().includes(wanted));
  const found = boxes.filter(isFound);
  const focusFirst = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || found[0] === undefined) return;
    event.preventDefault();
    const first = [...(whole.current?.querySelectorAll<SVGGElement>('[role=button]') ?? [])].find(
      (each) => each.dataset['name'] === found[0]?.id,
    );
    first?.focus();
    first?.scrollIntoView({ block: 'center', inline: 'center' });
  };
  const tools = (
    <>
      <input
        type="search"
        className="diagram-search"
        aria-label="Search the model"
        placeholder="An entity or attribute"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={focusFirst}
      />
      <span role="status" className="hint">
        {wanted === '' ? '' : `${found.length} found`}
      </span>
    </>
  );
  return (
    <>
      <Diagram label={`Model of ${module}`} file={`model-of-${module}`} width={layout.width} height={layout.height} tools={tools}>
        <defs>
          <marker id="part" viewBox="0 0 12 8" markerWidth="12" markerHeight="8" refX="0" refY="4" orient="auto">
            <path d="M0 4 6 0 12 4 6 8Z" fill="var(--accent)" />
          </marker>
          <marker id="refers" viewBox="0 0 10 10" markerWidth="8" markerHeight="8" refX="0" refY="5" orient="auto">
            <path d="M10 0 0 5 10 10" fill="none" stroke="var(--soft)" />
          </marker>
        </defs>
        {lines.map((line, at) => (
          <RelationshipLine key={`${line.kind} ${line.name} ${line.from} ${line.to}`} line={line} route={layout.routes[at] ?? []} />
        ))}
        <g ref={whole}>
          {boxes.map((box) => (
            <EntityButton key={box.id} box={box} place={layout.places.get(box.id) ?? { x: 0, y: 0 }} isFound={isFound(box)} />
          ))}
        </g>
      </Diagram>
      <p className="hint legend">
        ◆ contains · 1 and * say how many may be linked · dashed lines are references · ? marks what may be left out
      </p>
    </>
  );
}

/** The button covers its box; what stands in the box is text beside it, which can be read too. */
function EntityButton({ box, place: { x, y }, isFound }: { box: EntityBox; place: Point; isFound: boolean }) {
  const { entity, width, height, rows, more, isOther } = box;
  const open = (): void => navigate(`/model/${entity.name}`);
  return (
    <g className="entity-box" transform={`translate(${x} ${y})`} opacity={isFound ? 1 : 0.35}>
      <rect
        className="outline"
        width={width}
        height={height}
        rx="6"
        fill="var(--ground)"
        stroke="var(--strong-line)"
        strokeDasharray={isOther ? '4 3' : undefined}
      />
      {rows.length > 0 && <path d={`M0 ${headHeight}H${width}`} stroke="var(--line)" />}
      {rows.map(([name, type], at) => (
        <g key={name} transform={`translate(0 ${headHeight + 4 + at * rowHeight})`}>
          <text x="12" y="13" fill="var(--text)" fontWeight={name === entity.identifier ? 600 : 400}>
            {name}
          </text>
          <text x={width - 12} y="13" textAnchor="end" fill="var(--soft)">
            {type}
          </text>
        </g>
      ))}
      {more > 0 && (
        <text x="12" y={headHeight + 17 + rows.length * rowHeight} fill="var(--soft)">
          … {more} more
        </text>
      )}
      <g
        role="button"
        tabIndex={0}
        aria-label={entity.name}
        data-name={entity.name}
        onClick={open}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' && event.key !== ' ') return;
          event.preventDefault();
          open();
        }}
      >
        <text x="12" y="20" fontSize="14" fontWeight="600" fill="var(--text)">
          {titleOf(entity, isOther)}
        </text>
        <rect width={width} height={height} fill="transparent" />
      </g>
    </g>
  );
}

function RelationshipLine({ line, route }: { line: DrawnLine; route: readonly Point[] }) {
  const { kind, name, ends } = line;
  const [first, last] = [route[0], route.at(-1)];
  if (first === undefined || last === undefined) return null;
  const isLoop = line.from === line.to;
  const middle = middleOf(route);
  return (
    <g fill="var(--soft)">
      <path
        d={curve(route)}
        fill="none"
        stroke={kind === 'contains' ? 'var(--accent)' : 'var(--soft)'}
        strokeWidth="1.5"
        strokeDasharray={kind === 'reference' ? '5 4' : undefined}
        markerStart={kind === 'contains' ? 'url(#part)' : kind === 'reference' ? 'url(#refers)' : undefined}
      />
      <Label at={isLoop ? { x: middle.x + 40, y: middle.y } : middle} text={name} anchor={isLoop ? 'start' : 'middle'} />
      {ends[0] !== '' && <Label at={{ x: first.x + 9, y: first.y + (isLoop ? -5 : 13) }} text={ends[0]} />}
      {ends[1] !== '' && <Label at={{ x: last.x + 9, y: last.y + (isLoop ? 12 : -7) }} text={ends[1]} />}
    </g>
  );
}

/** On the ground of the page, so that it is read where lines cross it. */
function Label({ at, text, anchor = 'middle' }: { at: Point; text: string; anchor?: 'middle' | 'start' }) {
  return (
    <text x={at.x} y={at.y + 4} textAnchor={anchor} stroke="var(--ground)" strokeWidth="4" paintOrder="stroke" strokeLinejoin="round">
      {text.length > 30 ? `${text.slice(0, 29)}…` : text}
    </text>
  );
}
