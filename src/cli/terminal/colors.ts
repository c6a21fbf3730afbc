import { styleText } from 'node:util'

/** Without colour, every style returns the text unchanged. */
export type Colors = Readonly<Record<Style, (text: string) => string>>

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

const STYLES = ['bold', 'dim', 'red', 'green', 'yellow', 'cyan'] as const satisfies readonly Style[]

/** The caller has decided on colour, so `styleText` must not ask the stream again. */
export function createColors(isColorful: boolean): Colors {
  const style = (name: Style) => (text: string) =>
    isColorful ? styleText(name, text, { validateStream: false }) : text
  return Object.fromEntries(STYLES.map((name) => [name, style(name)])) as Colors
}
