// Updates the prompts of a project or, with `owner`, composes that owner's prompts again.
import { input, runAction } from '../job.ts'
import { updateProject } from './lock.ts'
import { recomposeOwner } from './recompose.ts'

await runAction(input('owner') === '' ? updateProject : recomposeOwner)
