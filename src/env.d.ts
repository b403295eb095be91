// Types for Astro and Vite: the contents of Astro.locals, and files imported as bytes.
declare namespace App {
  interface Locals extends Readonly<import('./ports/pages.ts').PageLocals> {
    readonly view?:
      | import('../packages/account/views.ts').AccountPageView
      | import('../packages/editor/views.ts').EditorPageView
  }
}

/** A file as a data URL. */
declare module '*?inline' {
  const address: string
  export default address
}
