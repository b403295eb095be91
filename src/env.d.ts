// Types for Astro and Vite: the contents of Astro.locals, and files imported as bytes.
declare namespace App {
  interface Locals extends Partial<import('./ports/pages.ts').PageLocals> {}
}

/** Values that the bundler writes into the page code; absent in tests. */
interface ImportMeta {
  readonly env?: { HUB_LOOK?: import('./domain/content/look.ts').HubLook }
}

/** A file as a data URL. */
declare module '*?inline' {
  const address: string
  export default address
}
