// What other programs may use: the application, and the types of its seams.

export { type App, type AppOptions, type AppParts, createApp } from './app.ts';
export type { FrontEnd } from './language/front-end.ts';
export type { Store } from './store/store.ts';
