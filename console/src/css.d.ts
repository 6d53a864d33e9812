// Style sheets are taken along by the bundler; they export nothing.

declare module '*.css';
