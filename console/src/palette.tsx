// The commands: every page and type by name, opened by Ctrl-K.

import { type KeyboardEvent, useId, useState } from 'react';
import { useModel } from './api/model.ts';
import { Dialog } from './components/dialog.tsx';
import { pages } from './pages.ts';
import { navigate } from './router.tsx';

interface Command {
  readonly name: string;
  readonly kind: string;
  readonly to: string;
}

export function Palette({ onClose }: { onClose: () => void }) {
  const model = useModel();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const id = useId();
  const shown = pages.filter((page) => page.shown(model));
  const commands: readonly Command[] = [
    ...shown.map((page) => ({ name: page.name, kind: 'Page', to: `/${page.path}`.replace(/\/$/, '') })),
    ...model.entities
      .filter((each) => each.operations.read !== 'none')
      .map((each) => ({ name: each.name, kind: 'Data', to: `/data/${each.name}` })),
    ...(shown.some((page) => page.path === 'events')
      ? model.events.filter((each) => each.mayRun).map((each) => ({ name: each.name, kind: 'Event', to: `/events/${each.name}` }))
      : []),
    ...(shown.some((page) => page.path === 'agents')
      ? model.agents.filter((each) => each.mayRun).map((each) => ({ name: each.name, kind: 'Agent', to: `/agents/${each.name}` }))
      : []),
  ];
  const found = commands.filter((each) => each.name.toLowerCase().includes(text.trim().toLowerCase())).slice(0, 12);
  const run = (command: Command | undefined): void => {
    if (command === undefined) return;
    onClose();
    navigate(command.to);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') run(found[chosen]);
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    setChosen((chosen + (event.key === 'ArrowDown' ? 1 : found.length - 1)) % Math.max(1, found.length));
  };
  return (
    <Dialog title="Commands" onClose={onClose}>
      <input
        role="combobox"
        aria-label="Go to"
        aria-expanded={found.length > 0}
        aria-controls={id}
        aria-activedescendant={found[chosen] === undefined ? undefined : `${id}-${chosen}`}
        placeholder="A page, a type, an event …"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div role="listbox" id={id} aria-label="Commands" className="options commands" tabIndex={-1}>
        {found.map((command, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field above.
          <div
            key={`${command.kind} ${command.name}`}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onClick={() => run(command)}
          >
            <span>{command.name}</span> <small>{command.kind}</small>
          </div>
        ))}
      </div>
      {found.length === 0 && <p className="hint">Nothing is called so.</p>}
    </Dialog>
  );
}
