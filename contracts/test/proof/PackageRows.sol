// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {OptionMath} from "../../src/OptionMath.sol";
import {PackageLegs} from "../../src/PackageLegs.sol";

/// @title PackageRows
/// @notice The core's own code computes what packages pay at every resolution, as one hash. contracts/scripts/package-rows.mjs has
/// the same packages in the same order.
contract PackageRows {
    uint256 private constant ROW = 4 * 103;

    /// @dev Packages of two legs whose strikes are multiples of `step` cents and whose first leg is option `first` of them.
    function hashOfPairs(uint256 step, uint256 first) external pure returns (bytes32 hash) {
        uint256 options = 2 * ((100 + step - 1) / step - 1);
        bytes memory rows = new bytes(44 * ROW + 28);
        for (uint256 second = first + 1; second < options; ++second) {
            uint256 place;
            for (int256 a = -4; a <= 4; ++a) {
                for (int256 b = -4; b <= 4; ++b) {
                    uint256 legs = legOf(a, optionOf(step, first)) | legOf(b, optionOf(step, second)) << 32;
                    if (!PackageLegs.isNormal(legs)) continue;
                    writeRow(rows, place, legs);
                    place += ROW;
                }
            }
            require(place == 44 * ROW, "44 pairs of quantities");
            hash = hashOf(hash, rows, place);
        }
    }

    /// @dev Packages of three and four legs from draws `first` on, `count` of them.
    /// @return hash Of their rows.
    /// @return next The draw after the last.
    function hashOfDrawn(uint256 first, uint256 count) external pure returns (bytes32 hash, uint256 next) {
        bytes memory rows = new bytes(ROW + 28);
        for (next = first; count > 0; ++next) {
            uint256 legs = legsOf(uint256(keccak256(abi.encode(next))));
            if (!PackageLegs.isNormal(legs)) continue;
            (int256 floor, int256 most) = PackageLegs.boundsOf(legs);
            if (floor == most) continue;
            writeRow(rows, 0, legs);
            hash = hashOf(hash, rows, ROW);
            --count;
        }
    }

    function optionOf(uint256 step, uint256 number) private pure returns (uint256) {
        uint256 strikes = (100 + step - 1) / step - 1;
        return number / strikes << 16 | (number % strikes + 1) * step * 100;
    }

    function legOf(int256 quantity, uint256 option) private pure returns (uint256) {
        return uint256(uint8(int8(quantity))) << 24 | option;
    }

    /// @dev In ascending order, by insertion.
    function legsOf(uint256 draw) private pure returns (uint256 legs) {
        uint256[4] memory sorted;
        uint256 count = 3 + (draw & 1);
        for (uint256 i = 0; i < count; ++i) {
            uint256 chunk = draw >> 8 + 40 * i & 0xffffffffff;
            int256 size = int256(chunk >> 17 & 7);
            uint256 leg = legOf(size < 4 ? size - 4 : size - 3, (chunk >> 16 & 1) << 16 | 1 + (chunk & 0xffff) % 9999);
            uint256 spot = i;
            for (; spot > 0 && uint24(sorted[spot - 1]) > uint24(leg); --spot) {
                sorted[spot] = sorted[spot - 1];
            }
            sorted[spot] = leg;
        }
        for (uint256 i = 0; i < count; ++i) {
            legs |= sorted[i] << 32 * i;
        }
    }

    /// @dev Most less floor, floor, and what is paid at each resolution, in four bytes each.
    function writeRow(bytes memory rows, uint256 place, uint256 legs) private pure {
        (int256 floor, int256 most) = PackageLegs.boundsOf(legs);
        write(rows, place, uint256(most - floor));
        write(rows, place + 4, uint256(floor));
        for (uint256 resolution = 0; resolution <= OptionMath.RESOLUTION_ONE; ++resolution) {
            write(rows, place + 8 + 4 * resolution, uint256(PackageLegs.valueAt(legs, resolution) - floor));
        }
    }

    function write(bytes memory rows, uint256 place, uint256 value) private pure {
        assembly ("memory-safe") {
            mstore(add(add(rows, 0x20), place), shl(224, value))
        }
    }

    function hashOf(bytes32 before, bytes memory rows, uint256 size) private pure returns (bytes32 hash) {
        assembly ("memory-safe") {
            let length := mload(rows)
            mstore(rows, before)
            hash := keccak256(rows, add(size, 0x20))
            mstore(rows, length)
        }
    }
}
