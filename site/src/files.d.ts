// What Vite makes of a style sheet is no value.
declare module '*.css';
