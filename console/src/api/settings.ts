// What the page knows of the service before anybody has signed in: written into it by the service.

export interface ConsoleSettings {
  readonly name: string;
  readonly surface: 'current' | 'earlier';
  readonly authentication: boolean;
  readonly providers: readonly string[];
}

export const settings: ConsoleSettings = JSON.parse(document.querySelector<HTMLMetaElement>('meta[name=platform]')?.content ?? '{}');
