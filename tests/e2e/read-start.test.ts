// Aims the reading suite at `npm start`, our own host on a built site.
import { readSuite } from './read-suite.ts'
import { npmTarget } from './targets.ts'

readSuite(npmTarget('start'))
