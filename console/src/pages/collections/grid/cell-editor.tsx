// One value changed in its cell. What was read when it was opened is what is changed: if somebody else has saved meanwhile, both sides are shown.

import { type FocusEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { change, type Instance, perform, type Row, readInstance } from '../../../api/instances.ts';
import type { AttributeDescription, EntityDescription } from '../../../api/model.ts';
import { Problem } from '../../../api/request.ts';
import { messageOf } from '../../../components/fault-text.tsx';
import { draftOf, draftValue, isSame, retyped } from '../../../components/form/draft.ts';
import { FieldInput, isEndOfText } from '../../../components/form/field-input.tsx';
import { toast } from '../../../components/toast.tsx';
import { shortened } from '../../../components/value.tsx';
import { ConflictDialog } from '../record/conflict.tsx';

interface EditorParts {
  readonly entity: EntityDescription;
  readonly attribute: AttributeDescription;
  readonly path: string;
  readonly row: Row;
  /** What the cell showed when it was opened, and what has been typed since: a row out of sight is in the page no more. */
  readonly shown: string;
  readonly text: string;
  readonly onText: (text: string) => void;
  /** Whether what was typed is being sent, or its fault is told: then nobody else has to say what becomes of it. */
  readonly isTold: { current: boolean };
  /** Opens the cell once more, with what was typed. */
  readonly onAgain: () => void;
  /** `changed` is absent where nothing was; whoever went elsewhere keeps the focus there. */
  readonly onDone: (changed: Row | undefined, isLeft: boolean) => void;
}

export function CellEditor({ entity, attribute, path, row, shown, text, onText, isTold, onAgain, onDone }: EditorParts) {
  const id = useId();
  const { name } = attribute;
  const [fault, setFault] = useState<string>();
  const [theirs, setTheirs] = useState<Instance>();
  const [isBusy, setBusy] = useState(false);
  const reading = useRef<Promise<Instance>>(undefined);
  // What could not be read is read again by the save.
  const read = (): Promise<Instance> => {
    reading.current ??= readInstance(path).catch((thrown: unknown) => {
      reading.current = undefined;
      throw thrown;
    });
    return reading.current;
  };
  const whole = useRef<HTMLSpanElement>(null);
  const isLeft = useRef(false);
  const label = `${name} of ${shortened(String(row[entity.identifier]))}`;
  const isShown = useRef(true);
  const unsaid = useRef<string>(undefined);
  unsaid.current = fault;
  isTold.current = isBusy || fault !== undefined;
  const sayUnsaved = (reason: string): void => toast(`${label} was not saved: ${reason}`, { name: 'Edit again', run: onAgain });
  const latest = useRef(sayUnsaved);
  latest.current = sayUnsaved;
  const finish = (changed: Row | undefined): void => {
    unsaid.current = undefined;
    onDone(changed, isLeft.current);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it is opened.
  useEffect(() => {
    isShown.current = true;
    whole.current?.querySelector<HTMLElement>('input, select, textarea')?.focus({ preventScroll: true });
    read().catch(() => undefined);
    return () => {
      isShown.current = false;
      if (unsaid.current !== undefined) latest.current(unsaid.current);
    };
  }, []);
  const write = async (etag: string | null): Promise<void> => {
    const body = { [name]: draftValue(attribute, text) };
    const saved = await perform(change(path, body, etag));
    toast(`${name} saved`);
    // It is saved also where it cannot be read again.
    const isWhole = saved.row[entity.identifier] !== undefined;
    const { row: now } = isWhole ? saved : await readInstance(path).catch(() => ({ row: body }));
    finish({ ...row, ...now });
  };
  const save = async (etag?: string | null): Promise<void> => {
    if (isBusy) return;
    if (text === shown && etag === undefined) {
      finish(undefined);
      return;
    }
    setBusy(true);
    setFault(undefined);
    try {
      const before = await read();
      // What the table showed may be older than what was read when the cell was opened.
      if (etag === undefined && !isSame(draftOf(attribute, before.row[name]), shown)) showTheirs(before);
      else await write(etag === undefined ? before.etag : etag);
    } catch (thrown) {
      if (thrown instanceof Problem && thrown.status === 412) await readInstance(path).then(showTheirs, showFault);
      else showFault(thrown);
    }
    setBusy(false);
  };
  const showFault = (thrown: unknown): void => {
    const own = thrown instanceof Problem ? thrown.errors.find((each) => each.attribute === name) : undefined;
    const reason = own?.message ?? messageOf(thrown);
    if (isShown.current) setFault(reason);
    else sayUnsaved(reason);
  };
  const showTheirs = (found: Instance): void => {
    if (isShown.current) setTheirs(found);
    else sayUnsaved('somebody else has changed it meanwhile.');
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    event.stopPropagation();
    // The dialog has keys of its own.
    if (theirs !== undefined) return;
    if (event.key === 'Escape') finish(undefined);
    if (!isEndOfText(event)) return;
    event.preventDefault();
    isLeft.current = false;
    save();
  };
  const onBlur = (event: FocusEvent): void => {
    // The picker beside the text, and the dialog, are parts of it.
    if (theirs !== undefined || fault !== undefined || whole.current?.contains(event.relatedTarget) === true) return;
    isLeft.current = true;
    save();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the field inside.
    <span ref={whole} className="cell-editor" onKeyDown={onKeyDown} onBlur={onBlur} onClick={(event) => event.stopPropagation()}>
      <label className="visually-hidden" htmlFor={id}>
        {label}
      </label>
      <FieldInput
        id={id}
        attribute={attribute}
        text={text}
        isInvalid={fault !== undefined}
        isDisabled={false}
        aria-describedby={`${id}-fault`}
        onChange={(next) => {
          // What is typed into what is being sent would be in no answer.
          if (isBusy) return;
          onText(retyped(next, shown));
          setFault(undefined);
        }}
      />
      <span id={`${id}-fault`} role="alert" className={fault === undefined ? undefined : 'cell-fault'}>
        {fault}
      </span>
      {theirs !== undefined && (
        <ConflictDialog
          entity={entity}
          mine={{ ...draftsOf(entity, row), [name]: text }}
          before={draftsOf(entity, row)}
          theirs={draftsOf(entity, theirs.row)}
          onClose={() => setTheirs(undefined)}
          onKeepMine={() => {
            setTheirs(undefined);
            save(theirs.etag);
          }}
          onTakeTheirs={() => finish({ ...row, ...theirs.row })}
        />
      )}
    </span>
  );
}

function draftsOf({ attributes }: EntityDescription, row: Row) {
  return Object.fromEntries(attributes.map((each) => [each.name, draftOf(each, row[each.name])]));
}
