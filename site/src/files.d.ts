// A style sheet imported through Vite has no value.
declare module '*.css';
