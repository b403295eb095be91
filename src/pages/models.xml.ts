// `/models.xml`: the models that retire, with the prompts that use them.

import type { APIRoute } from 'astro'
import { respondWithModelFeed } from '../site/feeds.ts'

export const GET: APIRoute = ({ locals }) => respondWithModelFeed(locals)
