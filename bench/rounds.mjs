/**
 * Runs each of several measurements in each round, in an order that turns around from round to round: what the machine
 * does beside falls on all of them alike.
 */
export async function takeTurns(rounds, measurements) {
  const names = Object.keys(measurements)
  const results = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) results[name].push(await measurements[name]())
  }
  return results
}
