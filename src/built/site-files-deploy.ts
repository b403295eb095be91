// Reads the site's files on Netlify from the URL of the function's deploy.
import { catalogueUnavailable, type SiteFiles } from './site-files.ts'

/** Timeout for reading a file from the deploy. After a timeout, the response includes Retry-After. */
const FETCH_MS = 8_000

/** Returns the files of a deploy, which are fetched from the deploy's URL. @param origin the origin of the current request */
export function deployFiles(origin: string): SiteFiles {
  return {
    async read(path) {
      try {
        // The host may redirect `/x/index.html` to `/x/`, and a redirect is an error here.
        const address = new URL(path.replace(/\/index\.html$/, '/'), origin)
        const answer = await fetch(address, { signal: AbortSignal.timeout(FETCH_MS), redirect: 'error' })
        if (answer.status === 404) return undefined
        if (answer.status !== 200) throw new Error(`the site responded with ${answer.status}`)
        return new Uint8Array(await answer.arrayBuffer())
      } catch (cause) {
        throw catalogueUnavailable(cause)
      }
    },
  }
}
