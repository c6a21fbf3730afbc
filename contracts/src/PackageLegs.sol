// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {OptionMath} from "./OptionMath.sol";

/// @title PackageLegs
/// @notice The legs of a package share one word. Leg i is in bits 32 x i to 32 x i + 31: quantity (int8), option type (uint8),
/// strikeBps (uint16), from the high end. All legs have one market and expiry, so that one resolution prices all of them.
library PackageLegs {
    /// @dev Kind of a series, besides `OptionMath.CALL` and `PUT`.
    uint8 internal constant PACKAGE = 2;

    uint256 private constant MAX_QUANTITY = 4;

    /// @notice Legs in normal form are two to four, no option twice, in ascending order of type and strike, with quantities of -4
    /// to 4 that have no common divisor: a package has one form, and therefore one id.
    /// @param legs Legs to check.
    /// @return Whether they are in normal form.
    function isNormal(uint256 legs) internal pure returns (bool) {
        if (legs >> 32 == 0 || legs >> 128 != 0) return false;
        uint256 last;
        uint256 divisor;
        unchecked {
            for (; legs != 0; legs >>= 32) {
                int256 quantity = int8(uint8(legs >> 24));
                uint256 size = uint256(quantity < 0 ? -quantity : quantity);
                uint256 option = uint24(legs);
                if (size == 0 || size > MAX_QUANTITY || option <= last) return false;
                last = option;
                while (size != 0) (divisor, size) = (size, divisor % size);
            }
        }
        return divisor == 1;
    }

    /// @notice The legs are worth this together, at most 4 x 4 x $1 either way.
    /// @param legs Legs in normal form.
    /// @param resolutionBps Price in hundredths of $1, 0..100.
    /// @return value Micro-dollars.
    function valueAt(uint256 legs, uint256 resolutionBps) internal pure returns (int256 value) {
        unchecked {
            for (; legs != 0; legs >>= 32) {
                uint256 payoff = OptionMath.payoff(uint8(legs >> 16), uint16(legs), resolutionBps);
                value += int8(uint8(legs >> 24)) * int256(payoff);
            }
        }
    }

    /// @notice The value of the legs is a straight line between two strikes, so that its bounds are reached at 0, at 100 or at a
    /// resolution next to a strike.
    /// @param legs Legs in normal form.
    /// @return floor The least that the legs can be worth together, in micro-dollars.
    /// @return most The most that they can be worth together, in micro-dollars.
    function boundsOf(uint256 legs) internal pure returns (int256 floor, int256 most) {
        floor = most = valueAt(legs, 0);
        (floor, most) = _including(floor, most, valueAt(legs, OptionMath.RESOLUTION_ONE));
        for (uint256 rest = legs; rest != 0; rest >>= 32) {
            uint256 below = uint16(rest) * OptionMath.RESOLUTION_ONE / OptionMath.STRIKE_ONE;
            (floor, most) = _including(floor, most, valueAt(legs, below));
            (floor, most) = _including(floor, most, valueAt(legs, below + 1));
        }
    }

    function _including(int256 floor, int256 most, int256 value) private pure returns (int256, int256) {
        return (value < floor ? value : floor, value > most ? value : most);
    }
}
