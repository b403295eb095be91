// `/manifest.webmanifest`: what phones call the hub that somebody puts on the home screen, and its icons.
import type { APIRoute } from 'astro'

export const GET: APIRoute = ({ locals: { profile } }) =>
  Response.json({
    name: profile.look.name,
    start_url: '/',
    display: 'minimal-ui',
    background_color: '#f7f7f4',
    icons: [
      { src: '/favicon.svg', type: 'image/svg+xml', sizes: 'any' },
      { src: '/icon-512.png', type: 'image/png', sizes: '512x512' },
    ],
  })
