// What TypeScript must know of Astro and Vite: what Astro.locals holds, and files that are imported for their bytes.
declare namespace App {
  interface Locals extends Partial<import('./ports/pages.ts').PageLocals> {}
}

/** What the bundler writes into the code of the pages; absent in tests. */
interface ImportMeta {
  readonly env?: { HUB_LOOK?: import('./domain/content/look.ts').HubLook }
}

/** A file as a data URL. */
declare module '*?inline' {
  const address: string
  export default address
}
