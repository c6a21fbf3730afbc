#!/bin/sh
# Buys options and writes options from a script: every command says what it did with --json.
# Beside a running sandbox (rfqctl up):  sh examples/shell/trade-both-sides.sh
set -eu

# Without `npm link`, in a clone: npx finds it.
command -v rfqctl >/dev/null || rfqctl() { npx rfqctl "$@"; }

# One value of a document on stdin, by a path like ".series[0].row", with the Node that rfqctl needs anyway.
pick() {
  node -p "JSON.parse(require('fs').readFileSync(0, 'utf8'))$1"
}

# The document of one type out of a stream of them, one to a line.
of_type() {
  grep "\"type\":\"$1\""
}

# A call that runs for a week: one of ten minutes may be worth nothing at this hour, and nobody bids for it.
call=$(rfqctl series list --market @3 --type call --settled no --json | pick '.series[2].seriesId')
bought=$(rfqctl taker buy "$call" --budget 50 --fill --json)
echo "bought $(echo "$bought" | of_type fill | pick .optionAmount) calls for $(echo "$bought" | of_type fill | pick .premium) dollars"

written=$(rfqctl taker sell "$call" --size 20 --account taker-2 --fill --json)
echo "wrote $(echo "$written" | of_type fill | pick .optionAmount) calls for $(echo "$written" | of_type fill | pick .premium) dollars"

position=".positions.find(({ seriesId }) => seriesId === '$call')"
echo "holds $(rfqctl taker positions --json | pick "$position.long")"
echo "owes $(rfqctl taker positions --account taker-2 --json | pick "$position.short")"
