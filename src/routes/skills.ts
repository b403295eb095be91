// The routes of Agent Skills, for clients that install them, and of static files that programs fetch.

import { APM_PATHS, NPM_PATHS, READ_METHODS, SKILL_PATHS } from '../domain/api/routes.ts'
import { respondForNpm, respondNotFound, respondWithProblem } from '../server/refusals.ts'
import { findFile } from '../server/static-files.ts'
import { handleApm } from '../skills/handle-apm.ts'
import { handleNpm } from '../skills/handle-npm.ts'
import { handleSkill } from '../skills/handle-skill.ts'
import { type Answer, only, type ReadParts, type RouteGroup } from './app.ts'

/** Folders whose files are for programs: what is missing is a JSON error. */
const FOLDERS = ['/data', '/assets', '/cli', '/clients']

/** Adds the routes of skills and files. */
export const skills =
  <Place>({ hub, files }: ReadParts<Place>): RouteGroup<Place> =>
  (add) => {
    const answerApm: Answer<Place> = (request, parameters, place, path) =>
      handleApm(request, path.endsWith('*') ? undefined : parameters, () => hub(request, place))
    for (const path of [...APM_PATHS, '/api/apm/*']) add('all', path, only(READ_METHODS, answerApm, respondWithProblem))
    const answerNpm: Answer<Place> = (request, parameters, place) =>
      handleNpm(request, parameters, () => hub(request, place))
    for (const path of [...NPM_PATHS, '/npm', '/npm/*']) add('all', path, only(READ_METHODS, answerNpm, respondForNpm))
    const answerSkill: Answer<Place> = (request, parameters, place, path) =>
      handleSkill(request, path, parameters, () => hub(request, place))
    for (const path of SKILL_PATHS) add('all', path, only(READ_METHODS, answerSkill))
    const answerFile: Answer<Place> = async (request, _, place) =>
      (files && (await findFile(request, files(place)))) ?? respondNotFound(request)
    for (const folder of FOLDERS)
      for (const path of [folder, `${folder}/*`]) add('all', path, only(READ_METHODS, answerFile))
  }
