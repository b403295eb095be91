// The routes of the git repositories with skills, where the host has them.
import { GIT_SERVICES, READ_METHODS } from '../domain/api/routes.ts'
import type { Hub } from '../server/hub.ts'
import { handleGit, type SkillRepositories } from '../skills/handle-git.ts'
import { type Answer, type Opens, only, type RouteGroup } from './app.ts'

interface Parts<Place> {
  hub: Opens<Hub, Place>
  /** The repositories; omitted where there is no git program. */
  repositories: SkillRepositories | undefined
}

/** Adds what git requests of a repository. */
export const git =
  <Place>({ hub, repositories }: Parts<Place>): RouteGroup<Place> =>
  (add) => {
    if (!repositories) return
    for (const service of GIT_SERVICES) {
      const methods = service === 'info/refs' ? READ_METHODS : ['POST', 'OPTIONS']
      const answer: Answer<Place> = (request, { owner }, place) =>
        handleGit(request, service, owner, () => hub(request, place), repositories)
      for (const of of ['', '/{owner}']) add('all', `${of}/skills.git/${service}`, only(methods, answer))
    }
  }
