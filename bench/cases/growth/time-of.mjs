/** The median time of a call of an opening, sent one at a time for half a second; milliseconds. */
export async function timeOf(load, opening) {
  const { p50, refused } = await load.call('run', { opening, durationMs: 500 })
  if (refused > 0) throw new Error(`${refused} calls were refused`)
  return p50
}
