/**
 * The controls of a page that a pointer cannot reach in full: covered by something else, or cut off by a box around them.
 * Runs in the page, so it uses nothing from outside of itself.
 */
export function hiddenControls(): string[] {
  /** Less than this of a control may be hidden, pixels: its border lies on that of its neighbour. */
  const EDGE = 2
  const layer = document.querySelector('dialog[open]') ?? document.body

  const isDrawn = (control: Element): boolean =>
    control.checkVisibility({ opacityProperty: true, visibilityProperty: true })

  /** The end of a clipping box that a control stays beyond, however far it is scrolled; null if there is none. */
  function clippedBy(control: Element): string | null {
    const box = control.getBoundingClientRect()
    for (
      let parent = control.parentElement;
      parent !== null && parent !== document.body;
      parent = parent.parentElement
    ) {
      const { overflowX, overflowY } = getComputedStyle(parent)
      const { left, top } = parent.getBoundingClientRect()
      const [right, bottom] = [
        left + parent.clientLeft + parent.clientWidth,
        top + parent.clientTop + parent.clientHeight,
      ]
      const isCutAcross = overflowX !== 'visible' && (box.left < left - EDGE || box.right > right + EDGE)
      const isCutDown = overflowY !== 'visible' && (box.top < top - EDGE || box.bottom > bottom + EDGE)
      if (isCutAcross || isCutDown) return parent.className || parent.tagName
    }
    return null
  }

  /** What is drawn over a corner of a control, just where its rounding begins; null where nothing is. */
  function coveredBy(control: Element): string | null {
    const { left, top, right, bottom } = control.getBoundingClientRect()
    const rounding = Math.max(EDGE, Number.parseFloat(getComputedStyle(control).borderTopLeftRadius) || 0)
    for (const [x, inwards] of [
      [left, 1],
      [right, -1],
    ] as const) {
      for (const [y, down] of [
        [top, 1],
        [bottom, -1],
      ] as const) {
        for (const [across, along] of [
          [rounding, EDGE],
          [EDGE, rounding],
        ] as const) {
          const above = document.elementFromPoint(x + inwards * across, y + down * along)
          const isOwn =
            above !== null &&
            (control.contains(above) || above.contains(control) || above.closest('label')?.contains(control))
          if (!isOwn) return above?.className || above?.tagName || 'the edge of the window'
        }
      }
    }
    return null
  }

  return [
    ...layer.querySelectorAll('button, a[href], input:not([type=radio]), select, summary, .choice label'),
  ].flatMap((control) => {
    if (!isDrawn(control) || control.closest('.skip-link') !== null) return []
    control.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
    const name = control.getAttribute('aria-label') ?? control.textContent?.trim() ?? ''
    const [clip, cover] = [clippedBy(control), coveredBy(control)]
    if (clip !== null) return [`${name}: cut off by ${clip}`]
    return cover === null ? [] : [`${name}: under ${cover}`]
  })
}
