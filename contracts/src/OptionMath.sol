// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title OptionMath
/// @notice One option is worth a whole number of micro-dollars. Two scales meet here and nowhere else: a strike counts
/// ten-thousandths of $1 (1..9999), a resolution counts hundredths of $1 (0..100) in spite of the `Bps` in its name. Both are
/// whole multiples of a micro-dollar, so that nothing is rounded and `payoff + (maxPayoff - payoff)` is exactly `maxPayoff`.
library OptionMath {
    uint8 internal constant CALL = 0;
    uint8 internal constant PUT = 1;

    /// @dev Exclusive upper bound of a strike: $1 in ten-thousandths.
    uint256 internal constant STRIKE_ONE = 10_000;
    /// @dev Inclusive upper bound of a resolution: $1 in hundredths. 101 would pay holders more than the collateral.
    uint256 internal constant RESOLUTION_ONE = 100;

    uint256 private constant MICRO_PER_STRIKE_BPS = 100;
    uint256 private constant STRIKE_PER_RESOLUTION = 100;

    /// @notice The largest payoff of one option is also the collateral that its writer locks.
    /// @return Micro-dollars.
    function maxPayoff(uint256 optionType, uint256 strikeBps) internal pure returns (uint256) {
        unchecked {
            return (optionType == CALL ? STRIKE_ONE - strikeBps : strikeBps) * MICRO_PER_STRIKE_BPS;
        }
    }

    /// @notice One option pays this to its holder at `resolutionBps`.
    /// @return Micro-dollars.
    function payoff(uint256 optionType, uint256 strikeBps, uint256 resolutionBps) internal pure returns (uint256) {
        unchecked {
            int256 inMoney = int256(resolutionBps * STRIKE_PER_RESOLUTION) - int256(strikeBps);
            if (optionType != CALL) inMoney = -inMoney;
            return inMoney > 0 ? uint256(inMoney) * MICRO_PER_STRIKE_BPS : 0;
        }
    }
}
