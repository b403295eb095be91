// Aims the reading suite at `npm start`, our own host on a built site, and at the address in E2E_URL when there is one.
import { readSuite } from './read-suite.ts'
import { npmTarget, runningAt } from './targets.ts'

readSuite(npmTarget('start'))
if (process.env.E2E_URL) readSuite(runningAt(process.env.E2E_URL))
