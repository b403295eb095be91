// Defines what each owner has: the basis of quotas.

/** The number of an owner's repositories, and of bytes in all their files in git. */
export interface OwnerUsage {
  prompts: number
  bytes: number
}

/** Returns the path of the file with an owner's usage. An owner without repositories has no file. @param owner a validated handle */
export const usagePath = (owner: string) => `/data/accounts/usage/${owner}.json`
