import { styleText } from 'node:util'

/** Styles of a terminal; every one of them leaves the text alone where colour is off. */
export type Colors = Readonly<Record<Style, (text: string) => string>>

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

const STYLES = ['bold', 'dim', 'red', 'green', 'yellow', 'cyan'] as const satisfies readonly Style[]

/** The styles, on or off. Whether the stream shows colour was decided before: `styleText` is not to ask it again. */
export function createColors(isColorful: boolean): Colors {
  const style = (name: Style) => (text: string) =>
    isColorful ? styleText(name, text, { validateStream: false }) : text
  return Object.fromEntries(STYLES.map((name) => [name, style(name)])) as Colors
}
