// Names the files with the attestations of a version. Apart from attestation.ts, because reads load no schemas.

/** The media type of an attestation: a Sigstore bundle. https://docs.sigstore.dev/about/bundle/ */
export const ATTESTATION_MEDIA_TYPE = 'application/vnd.dev.sigstore.bundle.v0.3+json'

/** Returns the name of an attestation. @param index counts from 0 */
export const attestationName = (index: number): string => `${index + 1}.sigstore.json`

/** Returns whether an attestation can have this name. */
export const isAttestationName = (name: string): boolean => /^[1-5]\.sigstore\.json$/.test(name)
