// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {OptionMath} from "./OptionMath.sol";

/// @title The legs of a package in one word, and what they are worth together
/// @notice Leg i stands in bits 32 x i to 32 x i + 31: quantity (int8), option type (uint8), strikeBps (uint16), from the
/// high end. Legs of one market and expiry, so that one resolution prices all of them.
library PackageLegs {
    /// @dev Kind of a series beside `OptionMath.CALL` and `PUT`.
    uint8 internal constant PACKAGE = 2;

    uint256 private constant MAX_QUANTITY = 4;

    /// @notice Whether there are two to four legs, no option twice, in ascending order of type and strike, with quantities of
    /// -4 to 4 that have no common divisor: a package has one form, and so one id.
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

    /// @notice What the legs are worth together at `resolutionBps`, in micro-dollars; at most 4 x 4 x $1 either way.
    function valueAt(uint256 legs, uint256 resolutionBps) internal pure returns (int256 value) {
        unchecked {
            for (; legs != 0; legs >>= 32) {
                uint256 payoff = OptionMath.payoff(uint8(legs >> 16), uint16(legs), resolutionBps);
                value += int8(uint8(legs >> 24)) * int256(payoff);
            }
        }
    }

    /// @notice The least and the most that the legs can be worth together, in micro-dollars. Between two strikes their value
    /// is a straight line, so that both are met at 0, at 100 or at a resolution next to a strike.
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
