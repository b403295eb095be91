// Aims the reading suite at `npm run dev`, Astro's dev server with the functions in process.
import { readSuite } from './reading/suite.ts'
import { npmTarget } from './targets.ts'

readSuite(npmTarget('dev', 8))
