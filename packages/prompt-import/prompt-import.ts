// What the npm package `prompt-hub` contains of the formats: one module, which its commands load when somebody imports.
export { describeImport, formatImport } from './source/report.ts'
export { type ImportToPublish, type OnHub, type PromptToPublish, readToPublish } from './source/to-publish.ts'
