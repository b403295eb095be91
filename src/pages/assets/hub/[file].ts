// The files for the hub's look: its logo, and the style sheet with its accent colour.
import { LOGO, STYLE } from '../../../site/hub-look.ts'

export const prerender = true

const FILES = [LOGO, STYLE].filter((file) => file !== undefined)

export const getStaticPaths = () => FILES.map(({ address }) => ({ params: { file: address.split('/').at(-1) } }))

export function GET({ params }: { params: { file: string } }): Response {
  const { bytes, mediaType } = FILES.find(({ address }) => address.endsWith(`/${params.file}`))!
  return new Response(bytes, { headers: { 'Content-Type': mediaType } })
}
