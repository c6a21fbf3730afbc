/** One or two units of time as `duration` and `latency` write them. */
const SPAN = String.raw`\d+(?:\.\d+)?(?:ms|s|m|h|d)(?: \d+(?:ms|s|m|h|d))?`

/** What differs from run to run, by how it looks, and what stands for it. */
const CHANGING: readonly (readonly [RegExp, string])[] = [
  [/\b0x[\da-f]{64,}\b/g, '<hash>'],
  [/\b0x[\da-f]{8}…/g, '<signature>'],
  [/\b[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}\b/g, '<uuid>'],
  [/\bmaker-[\da-f]{12}\b/g, 'maker-<hex>'],
  [/\bmk_live_\w+/g, '<key>'],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z/g, '<time>'],
  [/\b\d\d:\d\d:\d\d\.\d{3}\b/g, '<time>'],
  [/\b1[78]\d{8}\b/g, '<seconds>'],
  [/ *\+\d+\.\d{3} s/g, '     <later>'],
  [/(127\.0\.0\.1):\d+/g, '$1:<port>'],
  [/\b\d{70,78}\b/g, '<seriesId>'],
  [/\b[\da-f]{8}…/g, '<id>'],
  [new RegExp(`\\b(in|after) ${SPAN}`, 'g'), '$1 <duration>'],
  [new RegExp(`\\b${SPAN} (ago|ahead)`, 'g'), '<duration> $1'],
  [/\bblock +\d+/g, 'block <number>'],
  [/\bgas +\d+ of at most \d+, for [\d.]+/g, 'gas <units> of at most <units>, for <coins>'],
  [/\bnonce +\d+/g, 'nonce <number>'],
  [/\b\d+ bytes/g, '<count> bytes'],
  [/\d+\.\d+\.\d+(, [\d.]+ or later is needed)/g, '<version>$1'],
  [/\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)? UTC/g, '<time>'],
  [/\b([a-z]+-[cp][\d_]+)-[a-z]{3}\d\d-\d{4,6}\b/g, '$1-<expiry>'],
  // The YES price in the lists of markets and of series.
  [/(… +\d+ +)\$\d\.\d\d/g, '$1<price>'],
  [/((?:call|put) +\$[\d.]+ +)\$\d\.\d\d(?= +in )/g, '$1<price>'],
  [/(YES at )\$\d\.\d\d/g, '$1<price>'],
  // The widths of columns follow from what stands in them.
  [/(?<=\S) {2,}/g, '  '],
]

/** Text of the command line without what differs from run to run. */
export const normalise = (text: string, cwd: string): string =>
  CHANGING.reduce((rest, [pattern, name]) => rest.replace(pattern, name), text.replaceAll(cwd, 'DIR'))

/** Figures that differ from run to run, by their names in JSON. */
const CHANGING_NAMES =
  /^(?:(?:order\.)?(?:nonce|validUntil)|expiry|expiries|expiryMs|expires_in_ms|tookMs|waitedMs|blockNumber|block|gasUsed|gasLimit|feeWei|chainTime|time|id|at|yesPrice|window(?:Start|End))$/

/** Entries of a list that are enough to see its form. */
const SHOWN = 2

/** A JSON document for people to read, without what differs; of a list the first entries stand for all. */
export function normaliseJson(line: string, cwd: string): string {
  const document = JSON.parse(line, (name, value) => {
    if (CHANGING_NAMES.test(name) && /^[\d.]+$/.test(String(value))) return `<${name}>`
    if (!Array.isArray(value)) return value
    if (CHANGING_NAMES.test(name)) return [`<${name}>`]
    return value.length <= SHOWN ? value : [...value.slice(0, SHOWN), `and ${value.length - SHOWN} more`]
  })
  return normalise(JSON.stringify(document, null, 2), cwd)
}
