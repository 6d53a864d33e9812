// What an instance contains, as a tree: each level is read when it is opened.

import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { pathOf, type Row, readPage } from '../../../api/instances.ts';
import { type EntityDescription, entityNamed, type StepDescription, tabsOf, titleAttribute, useModel } from '../../../api/model.ts';
import { FaultText } from '../../../components/fault-text.tsx';
import { Skeleton } from '../../../components/skeleton.tsx';
import { shortened, textOf } from '../../../components/value.tsx';
import { navigate, queryText } from '../../../router.tsx';

const most = 50;

/** Along which relationships something stands in an instance. */
export function containsOf(entity: EntityDescription): readonly StepDescription[] {
  return tabsOf(entity).filter((step) => step.kind === 'contains');
}

export function Tree({ entity, path, name }: { entity: EntityDescription; path: string; name: string }) {
  return (
    <div role="tree" tabIndex={-1} aria-label={`What ${name} contains`} className="tree" onKeyDown={move}>
      {containsOf(entity).map((step, index) => (
        <Group key={`${step.relationship} ${step.name}`} path={path} step={step} level={1} isOpen isFirst={index === 0} />
      ))}
    </div>
  );
}

interface GroupParts {
  readonly path: string;
  readonly step: StepDescription;
  readonly level: number;
  readonly isOpen?: boolean;
  readonly isFirst?: boolean;
}

function Group({ path, step, level, isOpen = false, isFirst = false }: GroupParts) {
  const model = useModel();
  const entity = entityNamed(model, step.target);
  const [open, setOpen] = useState(isOpen);
  const asked = `${path}/${step.segment}/${step.name}?@limit=${most}&@count=true`;
  const { data, error } = useQuery({ queryKey: ['related', asked], queryFn: ({ signal }) => readPage(asked, signal), enabled: open });
  if (entity === undefined || entity.operations.read === 'none') return null;
  const left = (data?.total ?? 0) - (data?.rows.length ?? 0);
  return (
    <Item
      level={level}
      label={step.local}
      hint={data?.total?.toLocaleString()}
      isOpen={open}
      isFirst={isFirst}
      onToggle={() => setOpen(!open)}
    >
      {error !== null && <FaultText thrown={error} />}
      {data === undefined && error === null && <Skeleton lines={2} label={`Loading ${step.local}`} />}
      {data?.rows.map((row) => (
        <Node key={pathOf(entity, row)} entity={entity} row={row} level={level + 1} />
      ))}
      {data?.rows.length === 0 && <div className="hint">None yet.</div>}
      {left > 0 && <div className="hint">and {left.toLocaleString()} more</div>}
    </Item>
  );
}

function Node({ entity, row, level }: { entity: EntityDescription; row: Row; level: number }) {
  const [open, setOpen] = useState(false);
  const path = pathOf(entity, row);
  const steps = containsOf(entity);
  const show = (): void => navigate(`/data/${entity.name}${queryText(new URLSearchParams({ '@record': path }))}`);
  return (
    <Item
      level={level}
      label={shortened(textOf(row[titleAttribute(entity)] ?? row[entity.identifier]))}
      hint={entity.local}
      isOpen={steps.length === 0 ? undefined : open}
      onToggle={() => setOpen(!open)}
      onShow={show}
    >
      {steps.map((step) => (
        <Group key={`${step.relationship} ${step.name}`} path={path} step={step} level={level + 1} isOpen={steps.length === 1} />
      ))}
    </Item>
  );
}

interface ItemParts {
  readonly level: number;
  readonly label: string;
  readonly hint: string | undefined;
  /** Nothing where there is nothing to open. */
  readonly isOpen: boolean | undefined;
  readonly isFirst?: boolean;
  readonly onToggle: () => void;
  readonly onShow?: () => void;
  readonly children: ReactNode;
}

function Item({ level, label, hint, isOpen, isFirst = false, onToggle, onShow, children }: ItemParts) {
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>): void => {
    if (event.target !== event.currentTarget) return;
    if (event.key === 'ArrowRight' && isOpen === false) onToggle();
    else if (event.key === 'ArrowLeft' && isOpen === true) onToggle();
    else if (event.key === 'Enter' || event.key === ' ') (onShow ?? onToggle)();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <>
      <div
        role="treeitem"
        aria-level={level}
        aria-expanded={isOpen}
        tabIndex={isFirst ? 0 : -1}
        className="tree-line"
        style={{ paddingLeft: (level - 1) * 20 }}
        onKeyDown={onKeyDown}
      >
        {isOpen === undefined ? (
          <span className="tree-mark" />
        ) : (
          <button type="button" className="quiet tree-mark" tabIndex={-1} aria-hidden="true" onClick={onToggle}>
            {isOpen ? '▾' : '▸'}
          </button>
        )}
        {/* biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/noStaticElementInteractions: the keys are those of the item. */}
        <span className={onShow === undefined ? 'tree-name' : 'tree-name link'} onClick={onShow ?? onToggle}>
          <bdi>{label}</bdi> <small>{hint}</small>
        </span>
      </div>
      {isOpen === true && children}
    </>
  );
}

/** Up and down over what is open, left to what something stands in. */
function move(event: KeyboardEvent<HTMLDivElement>): void {
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=treeitem]')];
  const at = items.findIndex((each) => each === document.activeElement);
  const level = (item: HTMLElement | undefined): number => Number(item?.getAttribute('aria-level') ?? 0);
  const up = items.slice(0, Math.max(0, at)).findLast((each) => level(each) < level(items[at]));
  const targets: Readonly<Record<string, HTMLElement | null | undefined>> = {
    ArrowDown: items[at + 1],
    ArrowUp: items[at - 1],
    ArrowRight: items[at + 1],
    ArrowLeft: up,
    Home: items[0],
    End: items.at(-1),
  };
  const next = targets[event.key];
  if (at === -1 || !next) return;
  event.preventDefault();
  for (const item of items) item.tabIndex = item === next ? 0 : -1;
  next.focus();
}
