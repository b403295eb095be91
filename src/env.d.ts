// Types for Astro and Vite: the contents of Astro.locals, and files imported as bytes.
declare namespace App {
  interface Locals extends Readonly<import('./site/rendering.ts').PageLocals> {
    readonly view?: import('./account/views.ts').AccountPageView | import('./editor/views.ts').EditorPageView
  }
}

/** A file as a data URL. */
declare module '*?inline' {
  const address: string
  export default address
}
