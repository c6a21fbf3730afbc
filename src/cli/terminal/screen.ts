/** The alternate screen, which leaves what was on the terminal as it was; cleared, and the cursor in its corner. */
const ENTER = '\u001b[?1049h\u001b[2J\u001b[H'

/** Back to the screen of before, with a cursor. */
const LEAVE = '\u001b[?1049l\u001b[?25h'

/**
 * Takes the whole terminal until the returned function is called, or the process ends, however it ends: only a SIGKILL
 * leaves a terminal as it is.
 */
export function enterScreen(stdout: { write: (text: string) => unknown }): () => void {
  let isIn = true
  const leave = () => {
    if (!isIn) return
    isIn = false
    process.off('exit', leave)
    stdout.write(LEAVE)
  }
  process.once('exit', leave)
  stdout.write(ENTER)
  return leave
}
