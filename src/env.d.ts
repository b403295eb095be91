// Types for Astro and Vite: the contents of Astro.locals, and files imported as bytes.
declare namespace App {
  interface Locals extends Readonly<import('./ports/pages.ts').PageLocals> {}
}

/** A file as a data URL. */
declare module '*?inline' {
  const address: string
  export default address
}
