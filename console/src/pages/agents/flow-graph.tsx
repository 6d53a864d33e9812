// A flow as a graph, with the path that a run took.

import { useMemo } from 'react';
import type { FlowDescription } from '../../../../src/http/platform/description.ts';
import { Diagram } from '../../components/graph/diagram.tsx';
import { layoutOf } from '../../components/graph/layout.ts';
import { curve, middleOf } from '../../components/graph/route.ts';
import { shortened } from '../../components/value.tsx';
import type { RunStep } from './runs.ts';

const height = 44;

export function FlowGraph({ flow, steps }: { flow: FlowDescription; steps: readonly RunStep[] }) {
  const layout = useMemo(() => {
    const boxes = flow.nodes.map(({ name }) => ({ id: name, width: Math.max(96, name.length * 8 + 28), height }));
    return layoutOf(boxes, flow.steps);
  }, [flow]);
  const taken = pathOf(flow, steps);
  return (
    <Diagram label={`Flow ${flow.name}`} file={`flow-${flow.local}`} width={layout.width} height={layout.height}>
      <defs>
        {(['--strong-line', '--accent'] as const).map((colour) => (
          <marker
            key={colour}
            id={`to${colour}`}
            viewBox="0 0 10 10"
            markerUnits="userSpaceOnUse"
            markerWidth="11"
            markerHeight="11"
            refX="10"
            refY="5"
            orient="auto"
          >
            <path d="M0 0 10 5 0 10Z" fill={`var(${colour})`} />
          </marker>
        ))}
      </defs>
      {flow.steps.map(({ from, to, label }, at) => {
        const route = layout.routes[at] ?? [];
        const colour = taken.edges.has(at) ? '--accent' : '--strong-line';
        const middle = middleOf(route);
        return (
          <g key={`${from} ${to} ${label ?? ''}`}>
            <path
              d={curve(route)}
              fill="none"
              stroke={`var(${colour})`}
              strokeWidth={taken.edges.has(at) ? 2.5 : 1.2}
              markerEnd={`url(#to${colour})`}
            />
            {label !== undefined && (
              <text
                x={middle.x}
                y={middle.y + 4}
                textAnchor="middle"
                fill={taken.edges.has(at) ? 'var(--accent)' : 'var(--soft)'}
                stroke="var(--ground)"
                strokeWidth="4"
                paintOrder="stroke"
              >
                {shortened(label.length > 28 ? `${label.slice(0, 27)}…` : label)}
              </text>
            )}
          </g>
        );
      })}
      {flow.nodes.map(({ name, kind }) => {
        const { x, y } = layout.places.get(name) ?? { x: 0, y: 0 };
        const width = Math.max(96, name.length * 8 + 28);
        const isTaken = taken.nodes.has(name);
        return (
          <g key={name} transform={`translate(${x} ${y})`}>
            <title>{`${name}, ${kind}${isTaken ? ', taken' : ''}`}</title>
            <rect
              width={width}
              height={height}
              rx={kind === 'decision' ? 22 : 6}
              fill={isTaken ? 'var(--accent-ground)' : 'var(--ground)'}
              stroke={isTaken ? 'var(--accent)' : 'var(--strong-line)'}
              strokeWidth={isTaken ? 2 : 1}
            />
            <text x={width / 2} y="20" textAnchor="middle" fontSize="13" fontWeight="600" fill="var(--text)">
              {name.length > 30 ? `${name.slice(0, 29)}…` : name}
            </text>
            <text x={width / 2} y="35" textAnchor="middle" fontSize="11" fill="var(--soft)">
              {isTaken ? `${kind} ✓` : kind}
            </text>
          </g>
        );
      })}
    </Diagram>
  );
}

/** From the first step on, by the labels that the steps of the run ended with. */
function pathOf(
  flow: FlowDescription,
  steps: readonly RunStep[],
): { readonly nodes: ReadonlySet<string>; readonly edges: ReadonlySet<number> } {
  const nodes = new Set<string>();
  const edges = new Set<number>();
  let name: string | undefined = flow.first;
  for (const step of steps) {
    const node = flow.nodes.find((each) => each.name === name);
    if (name === undefined || node === undefined) break;
    // A step of a flow inside of this one, or of an agent that another asked, stands on no node of it.
    if (node.runs !== undefined && node.runs !== step.name) continue;
    nodes.add(name);
    const at = flow.steps.findIndex(
      ({ from, label }) =>
        from === name && (step.method === 'else' ? label === undefined : step.label !== undefined && label === step.label),
    );
    name = flow.steps[at]?.to;
    if (at !== -1) edges.add(at);
  }
  if (name !== undefined && edges.size > 0) nodes.add(name);
  return { nodes, edges };
}
