// Lets a small process start git for the code under test, as a hub does.
import { startGitRunner } from '../src/git/git-command.ts'

startGitRunner()
