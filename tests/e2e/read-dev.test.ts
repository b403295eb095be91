// Runs the read test suite against `npm run dev`, Astro's dev server with the functions in the same process.
import { readSuite } from './reading/suite.ts'
import { npmTarget } from './targets.ts'

readSuite(npmTarget('dev', 8))
