// Runs in each test file before its own hooks, so that this one is the last after its tests.
import { afterAll } from 'vitest'
import { removeTemporaryFolders } from './temporary-folder.ts'

afterAll(removeTemporaryFolders)
