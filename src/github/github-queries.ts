// Defines the GraphQL documents for GitHub, and the schemas of their responses.
import * as z from 'zod'
import { blobId } from '../git/git-store.ts'

/** Everything is read at one commit, whose `oid` is the head: a listing from another commit could omit a version, which a commit would then overwrite. */
export const FOLDER_QUERY = `query Folder($owner: String!, $name: String!, $branch: String!, $history: String!, $versions: String!, $results: String!, $folder: String!, $index: String!, $ownerIndex: String!,
    $withRepository: Boolean!, $withPublishes: Boolean!) {
  repository(owner: $owner, name: $name) {
    ref(qualifiedName: $branch) {
      target {
        oid
        ... on Commit {
          committedDate
          versions: file(path: $versions) @include(if: $withRepository) { object { ... on Tree { entries { name oid type } } } }
          results: file(path: $results) @include(if: $withRepository) { object { ... on Tree { entries { name oid type } } } }
          folder: file(path: $folder) @include(if: $withRepository) { object { ... on Tree { oid } } }
          index: file(path: $index) @include(if: $withRepository) { object { ... on Blob { oid byteSize text isTruncated } } }
          ownerIndex: file(path: $ownerIndex) { object { ... on Blob { oid byteSize text isTruncated } } }
          history(path: $history, first: 100) @include(if: $withPublishes) { nodes { oid url message committedDate } }
        }
      }
    }
  }
}`
/** Reads one file by its blob ID. */
export const BLOB_QUERY = `query Blob($owner: String!, $name: String!, $id: GitObjectID!) {
  repository(owner: $owner, name: $name) { object(oid: $id) { ... on Blob { oid byteSize text isTruncated } } }
}`
/** The only mutation: adds files if the head is the expected commit. */
export const COMMIT_MUTATION = `mutation Commit($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid url committedDate } }
}`

const Oid = z.string().regex(/^[0-9a-f]{40}$/)
const Blob = z.object({ oid: Oid, byteSize: z.int(), text: z.string().nullable(), isTruncated: z.boolean() })
/** GitHub returns no field of an object that is not a blob. */
const NotBlob = z.strictObject({}).transform(() => null)
/** A file that may be missing; `object` is null if there is something other than a file. */
export const BlobFile = z.object({ object: Blob.or(NotBlob).nullable() }).nullable()
/** A folder that may be missing. */
const TreeFile = z
  .object({
    object: z.object({ entries: z.array(z.object({ name: z.string(), oid: Oid, type: z.string() })) }).nullable(),
  })
  .nullable()
/** A folder that counts as missing if there is something else in its place. */
const OtherTree = TreeFile.catch(null)
const Moment = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text))
const Mark = z.object({ oid: Oid, url: z.string(), message: z.string(), committedDate: Moment })
/** The response to `FOLDER_QUERY`. */
export const FolderAnswer = z.object({
  repository: z.object({
    ref: z
      .object({
        target: z.object({
          oid: Oid,
          committedDate: Moment,
          versions: TreeFile.optional(),
          results: OtherTree.optional(),
          folder: z
            .object({ object: z.object({ oid: Oid }).nullable() })
            .nullable()
            .catch(null)
            .optional(),
          index: BlobFile.optional(),
          ownerIndex: BlobFile,
          history: z.object({ nodes: z.array(Mark.nullable()) }).optional(),
        }),
      })
      .nullable(),
  }),
})
/** The response to `BLOB_QUERY`. */
export const BlobAnswer = z.object({ repository: z.object({ object: Blob.nullable() }) })
/** The response to a successful `COMMIT_MUTATION`; only a commit ID of 40 hex digits indicates success. */
export const CommitAnswer = z.object({
  createCommitOnBranch: z.object({
    commit: z.object({
      oid: Oid,
      url: z.url().nullable().catch(null),
      committedDate: Moment.optional().catch(undefined),
    }),
  }),
})
/** A file as returned by the REST API, which is always complete. */
export const RestBlob = z.object({ encoding: z.literal('base64'), content: z.string() })
/** A folder with its subfolders, as returned by the REST API. */
export const RestTree = z.object({
  tree: z.array(z.object({ path: z.string(), mode: z.string(), type: z.string(), sha: Oid })),
  truncated: z.boolean(),
})
/** The installation of a GitHub App. */
export const Installation = z.object({ id: z.int().positive() })

/** GitHub omits the text of blobs that it considers binary and truncates long blobs, so the text is used only if its bytes have the blob's ID. */
export function verifiedBytes({ oid, text, isTruncated }: z.infer<typeof Blob>): Uint8Array<ArrayBuffer> | undefined {
  if (text === null || isTruncated) return undefined
  const bytes = new TextEncoder().encode(text)
  return blobId(bytes) === oid ? bytes : undefined
}
