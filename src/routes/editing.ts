// The routes of the pages for writing.
import type { EditorDeps } from '../editor/editing.ts'
import { handleEditor } from '../editor/handle-editor.ts'
import type { Opens, RouteGroup } from './app.ts'

/** Adds the routes of the pages for writing. */
export const editing =
  <Place>({ editor }: { editor: Opens<EditorDeps, Place> }): RouteGroup<Place> =>
  (add) => {
    for (const path of [
      '/new',
      '/{owner}/settings',
      '/{owner}/{name}/edit',
      '/{owner}/{name}/manage',
      '/{owner}/{name}/proposals/{proposal}',
    ])
      add('all', path, (request, _, place) => handleEditor(request, () => editor(request, place)))
  }
