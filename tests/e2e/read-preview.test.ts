// Aims the reading suite at `npm run preview`, the Netlify dev server on the built site.
import { readSuite } from './read-suite.ts'
import { npmTarget } from './targets.ts'

readSuite(npmTarget('preview', 1))
