import { afterAll, beforeAll } from 'vitest'
import { buildWhenStale } from '../../kit/build.ts'

type Gallery = { url: string; close: () => Promise<void> }

/** The gallery of a suite, which draws each state of the pages; its address is there from before the first test. */
export function useGallery(): { readonly url: string } {
  const inUse: { gallery?: Gallery } = {}
  beforeAll(async () => {
    await buildWhenStale()
    const { href } = new URL('../../../scripts/gallery.mjs', import.meta.url)
    const { openGallery } = (await import(href)) as { openGallery: () => Promise<Gallery> }
    inUse.gallery = await openGallery()
  })
  afterAll(() => inUse.gallery?.close())
  return {
    get url() {
      return inUse.gallery?.url ?? ''
    },
  }
}
