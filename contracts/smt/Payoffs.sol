// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {OptionMath} from "../src/OptionMath.sol";
import {SeriesWord} from "../src/SeriesWord.sol";

/// @title PayoffProofs
/// @notice Holder and writer share the collateral at every price.
contract PayoffProofs {
    /// @dev The definition of an option, on unbounded integers: max(0, price - strike) of a call, max(0, strike - price) of a put.
    function payoffIsDefinition(uint8 optionType, uint16 strikeBps, uint8 resolution) external pure {
        require(optionType <= OptionMath.PUT && strikeBps > 0 && strikeBps < 10_000 && resolution <= 100);
        int256 price = int256(uint256(resolution)) * 10_000;
        int256 strike = int256(uint256(strikeBps)) * 100;
        int256 worth = optionType == OptionMath.CALL ? price - strike : strike - price;
        assert(int256(OptionMath.payoff(optionType, strikeBps, resolution)) == (worth > 0 ? worth : int256(0)));
    }

    /// @dev So that what is left to the writer does not wrap.
    function payoffIsWithinCollateral(uint8 optionType, uint16 strikeBps, uint8 resolution) external pure {
        require(optionType <= OptionMath.PUT && strikeBps > 0 && strikeBps < 10_000 && resolution <= 100);
        assert(OptionMath.payoff(optionType, strikeBps, resolution) <= OptionMath.maxPayoff(optionType, strikeBps));
    }

    /// @dev A call and a put of one strike differ by price less strike.
    function callLessPutIsForward(uint16 strikeBps, uint8 resolution) external pure {
        require(strikeBps > 0 && strikeBps < 10_000 && resolution <= 100);
        int256 call = int256(OptionMath.payoff(OptionMath.CALL, strikeBps, resolution));
        int256 put = int256(OptionMath.payoff(OptionMath.PUT, strikeBps, resolution));
        assert(call - put == int256(uint256(resolution)) * 10_000 - int256(uint256(strikeBps)) * 100);
    }

    function collateralIsWhole(uint8 optionType, uint16 strikeBps) external pure {
        require(optionType <= OptionMath.PUT && strikeBps > 0 && strikeBps < 10_000);
        uint256 most = OptionMath.maxPayoff(optionType, strikeBps);
        assert(most == (optionType == OptionMath.CALL ? 10_000 - uint256(strikeBps) : uint256(strikeBps)) * 100);
        assert(most <= 999_900);
    }

    function seriesPaysItsOption(SeriesWord word, uint8 resolution) external pure {
        require(!word.isPackage() && resolution <= 100);
        assert(word.payoffAt(resolution) == OptionMath.payoff(word.kind(), word.strikeBps(), resolution));
    }
}
