// The files of a built site, made of a catalogue in memory.
import { listApmFiles, listBundleFiles, listCapabilityFiles, makeNpmFile } from '../../src/build/make-repository.ts'
import type { Catalogue } from '../../src/catalogue/catalogue.ts'
import { listDataFiles } from '../../src/catalogue/published/data-files.ts'
import type { History } from '../../src/catalogue/published/shared-files.ts'
import { openBundles } from '../../src/content/version-files.ts'
import { digestText } from '../../src/files/measure.ts'
import { openFolder } from '../../src/files/plain-files.ts'

/** Yields each file with its content. @param contentDir has the files of skills */
export function* listSiteFiles(
  catalogue: Catalogue,
  contentDir: string,
  history?: History,
): Generator<readonly [path: string, content: string | Uint8Array]> {
  const readFile = openBundles(openFolder(contentDir))
  yield* listDataFiles(catalogue, digestText, history)
  for (const entry of catalogue.entries.values()) {
    const records = entry.versions.map(({ record }) => record)
    yield* listApmFiles(entry)
    yield* listCapabilityFiles(entry.versions, { readFile, unchanged: new Set() })
    yield makeNpmFile(entry, { baseUrl: catalogue.baseUrl, readFile, packages: new Map() })
    for (const [path, bytesOf] of listBundleFiles(records, readFile)) yield [path, bytesOf()]
  }
}
