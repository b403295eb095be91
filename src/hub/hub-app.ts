// The application with all routes of this hub, for the Node server and the development server.
import type { SiteFiles } from '../built/site-files.ts'
import { accounts } from '../routes/accounts.ts'
import { createApp, type RouteGroup } from '../routes/app.ts'
import { editing } from '../routes/editing.ts'
import { exports } from '../routes/exports.ts'
import { git } from '../routes/git.ts'
import { mcp } from '../routes/mcp.ts'
import { namesakes, pages } from '../routes/pages.ts'
import { proposals } from '../routes/proposals.ts'
import { reads } from '../routes/reads.ts'
import { skills } from '../routes/skills.ts'
import { writes } from '../routes/writes.ts'
import type { SkillRepositories } from '../skills/handle-git.ts'
import { connectAccount, connectEditor } from './connect-account.ts'
import { type FunctionContext, openCheckHub, openHub, openMessageHub } from './open-hub.ts'
import { openPublishHub } from './open-publish-hub.ts'

/** What only some hosts have. */
interface HostParts<Place> {
  /** The static files; omitted where others serve them. */
  files?: (place: Place) => SiteFiles
  /** The git repositories with skills. */
  repositories?: SkillRepositories
  /** The host's own routes, which come first. */
  routes?: RouteGroup<Place>
}

/** Creates the application. */
export function createHubApp<Place extends FunctionContext>({ files, repositories, routes }: HostParts<Place> = {}) {
  const site = { hub: openHub, files }
  return createApp<Place>([
    ...(routes ? [routes] : []),
    skills(site),
    git({ hub: openHub, repositories }),
    writes({ publishing: openPublishHub, checking: openCheckHub }),
    proposals({ publishing: openPublishHub, checking: openCheckHub }),
    exports({ hub: openHub }),
    reads({ hub: openHub }),
    mcp({ mcp: openMessageHub }),
    namesakes(site),
    accounts({ account: connectAccount }),
    editing({ editor: connectEditor }),
    pages(site),
  ])
}
