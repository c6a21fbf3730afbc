// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {World} from "../../support/World.sol";
import {IAccessControl} from "@openzeppelin/contracts/access/IAccessControl.sol";

/// @title TestUSDTest
/// @notice Minters create test dollars.
contract TestUSDTest is World {
    function test_it_counts_in_micro_dollars() external view {
        vm.assertEq(usd.decimals(), 6, "decimals");
        vm.assertEq(usd.symbol(), "TUSD", "symbol");
    }

    function test_only_minters_mint() external {
        bytes32 role = usd.MINTER_ROLE();
        vm.expectRevert(
            abi.encodeWithSelector(IAccessControl.AccessControlUnauthorizedAccount.selector, stranger, role)
        );
        vm.prank(stranger);
        usd.mint(stranger, 1);
    }

    function test_the_admin_gives_and_takes_the_minters_role() external {
        bytes32 role = usd.MINTER_ROLE();
        usd.grantRole(role, stranger);
        vm.prank(stranger);
        usd.mint(stranger, 5);
        vm.assertEq(usd.balanceOf(stranger), 5, "minted");
        usd.revokeRole(role, stranger);
        vm.expectRevert(
            abi.encodeWithSelector(IAccessControl.AccessControlUnauthorizedAccount.selector, stranger, role)
        );
        vm.prank(stranger);
        usd.mint(stranger, 1);
    }
}
