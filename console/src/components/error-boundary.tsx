// What a page throws is shown in its place, and everything around it goes on.

import { Component, type ReactNode } from 'react';
import { FaultText } from './fault-text.tsx';

export class ErrorBoundary extends Component<{ children: ReactNode }, { thrown: unknown }> {
  override state: { thrown: unknown } = { thrown: undefined };

  static getDerivedStateFromError(thrown: unknown) {
    return { thrown };
  }

  override render() {
    if (this.state.thrown === undefined) return this.props.children;
    return (
      <div className="empty">
        <h1>This cannot be shown</h1>
        <FaultText thrown={this.state.thrown} />
        <button type="button" onClick={() => location.reload()}>
          Load again
        </button>
      </div>
    );
  }
}
