// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {PackageLegs} from "../../src/PackageLegs.sol";
import {Test} from "../support/Test.sol";

/// @title PackedLegsTest
/// @notice Each leg of each quantity, type and strike comes back from its 18 bits, at each place of a package.
contract PackedLegsTest is Test {
    /// @dev The legs beside it have all bits of theirs set, or as few as there can be.
    uint256 private constant FULL = 0xfc << 24 | 1 << 16 | 9999;
    uint256 private constant EMPTY = 0x01 << 24 | 1;

    function test_each_leg_comes_back_from_storage() external pure {
        unchecked {
            uint256 count;
            for (int256 quantity = -4; quantity <= 4; ++quantity) {
                if (quantity == 0) continue;
                for (uint256 option = 1; option < 1 << 17; ++option) {
                    uint256 strike = uint16(option);
                    if (strike == 0) continue;
                    if (strike > 9999) {
                        option |= 0xffff;
                        continue;
                    }
                    uint256 leg = uint256(uint8(int8(quantity))) << 24 | option;
                    uint256 place = count++ & 3;
                    uint256 others = option & 1 == 0 ? FULL : EMPTY;
                    uint256 legs;
                    for (uint256 i = 0; i < 4; ++i) {
                        legs |= (i == place ? leg : others) << 32 * i;
                    }
                    uint256 packed = PackageLegs.pack(legs);
                    require(packed >> 72 == 0, "72 bits");
                    require(PackageLegs.unpack(packed) == legs, "the same legs");
                }
            }
            require(count == 8 * 2 * 9999, "all of them");
        }
    }

    function test_a_leg_of_quantity_one_is_a_call_or_put() external pure {
        for (uint256 strike = 1; strike < 10_000; ++strike) {
            for (uint8 optionType = 0; optionType < 2; ++optionType) {
                uint256 packed = PackageLegs.one(optionType, uint16(strike));
                require(PackageLegs.isOne(packed), "one leg");
                require(PackageLegs.optionTypeOf(packed) == optionType, "type");
                require(PackageLegs.strikeOf(packed) == strike, "strike");
                uint256 leg = 1 << 24 | uint256(optionType) << 16 | strike;
                require(PackageLegs.unpack(packed) == leg && PackageLegs.pack(leg) == packed, "the same leg");
            }
        }
    }

    function testFuzz_two_to_four_legs_come_back_from_storage(uint256 draw, uint256 count) external pure {
        count = bound(count, 2, 4);
        uint256 legs;
        for (uint256 i = 0; i < count; ++i) {
            uint256 part = draw >> 32 * i;
            int256 size = int256(1 + (part >> 17 & 3));
            uint8 quantity = uint8(int8(part >> 19 & 1 == 0 ? size : -size));
            legs |= (uint256(quantity) << 24 | (part >> 16 & 1) << 16 | 1 + uint16(part) % 9999) << 32 * i;
        }
        uint256 packed = PackageLegs.pack(legs);
        require(PackageLegs.unpack(packed) == legs, "the same legs");
        require(!PackageLegs.isOne(packed), "a package");
        require(packed >> 18 * count == 0, "no bits beyond");
    }
}
