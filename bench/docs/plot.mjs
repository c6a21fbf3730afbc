/** The frame of a plot, in units of the picture. */
const WIDTH = 640
const HEIGHT = 320
const LEFT = 70
const RIGHT = 40
const TOP = 44
const BOTTOM = 52

/** Colours that are told apart without colour vision, and on white as on black. */
const COLOURS = ['#0072b2', '#d55e00']

const INK = '#767676'

/** Marks below a plot over time. */
const TIMES = 5

/**
 * A plot as SVG: sizes from left to right by their logarithm, so that each tenfold is as wide, or times as they pass, and
 * the cost upwards from 0, so that flat looks flat. @param {import('../benchmark.mjs').Plot} plot
 */
export function plotSvg({ title, x, y, isOverTime = false, curves }) {
  const points = curves.flatMap((curve) => curve.points).filter(isThere)
  const sizes = [...new Set(points.map(([size]) => size))].sort((a, b) => a - b)
  const top = niceTop(Math.max(...points.map(([, cost]) => cost)))
  const scale = (size) => (isOverTime ? size : Math.log10(Math.max(size, 1)))
  const [first = 0, last = 1] = isOverTime ? [0, sizes.at(-1)] : [scale(sizes[0]), scale(sizes.at(-1))]
  const atX = (size) => round(LEFT + ((scale(size) - first) / (last - first || 1)) * (WIDTH - LEFT - RIGHT))
  const places = isOverTime ? timesUntil(last) : sizes
  const atY = (cost) => round(HEIGHT - BOTTOM - (cost / top) * (HEIGHT - TOP - BOTTOM))
  const marks = [0, 0.25, 0.5, 0.75, 1].map((share) => share * top)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" font-family="sans-serif" font-size="12" fill="${INK}">`,
    `<title>${title}</title>`,
    `<text x="${LEFT}" y="20" font-size="14">${title}</text>`,
    ...marks.map((cost) => grid(atY(cost), digits(cost))),
    ...places.map((size) => tick(atX(size), size.toLocaleString('en-US'))),
    `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 10}" text-anchor="middle">${x}</text>`,
    `<text x="16" y="${(TOP + HEIGHT - BOTTOM) / 2}" text-anchor="middle" transform="rotate(-90 16 ${(TOP + HEIGHT - BOTTOM) / 2})">${y}</text>`,
    ...curves.flatMap((curve, i) =>
      draw(curve, { colour: COLOURS[i % COLOURS.length], row: i, dot: isOverTime ? 1.5 : 3, atX, atY }),
    ),
    '</svg>\n',
  ].join('\n')
}

function draw({ name, points: all }, { colour, row, dot, atX, atY }) {
  const points = all.filter(isThere)
  const path = points.map(([size, cost]) => `${atX(size)},${atY(cost)}`).join(' ')
  return [
    `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`,
    ...points.map(([size, cost]) => `<circle cx="${atX(size)}" cy="${atY(cost)}" r="${dot}" fill="${colour}"/>`),
    `<text x="${LEFT + 8 + row * 220}" y="36" fill="${colour}">${name}</text>`,
  ]
}

const grid = (y, text) =>
  `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y}" y2="${y}" stroke="${INK}" stroke-opacity="0.25"/><text x="${LEFT - 8}" y="${y + 4}" text-anchor="end">${text}</text>`

const tick = (x, text) => `<text x="${x}" y="${HEIGHT - BOTTOM + 20}" text-anchor="middle">${text}</text>`

/** What could not be measured is not drawn. */
const isThere = ([, cost]) => Number.isFinite(cost)

/** From 0 on, in steps that are easy to read. */
function timesUntil(last) {
  const step = niceTop(last / TIMES)
  return Array.from({ length: Math.floor(last / step) + 1 }, (_, i) => i * step)
}

/** The next of 1, 2 or 5 times a power of ten. */
function niceTop(value) {
  const power = 10 ** Math.floor(Math.log10(value))
  return ([1, 2, 5, 10].find((step) => step * power >= value) ?? 10) * power
}

const round = (value) => Math.round(value * 10) / 10

const digits = (value) => String(Number(value.toPrecision(3)))
