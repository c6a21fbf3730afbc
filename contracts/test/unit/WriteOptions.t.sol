// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceCore} from "../../src/IServiceCore.sol";
import {World} from "../support/World.sol";
import {IERC1155Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";

/// @title The core's door for the settlement contract, knocked at directly
contract WriteOptionsTest is World {
    function test_only_the_settlement_contract_writes_options() external {
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.NotSettlement.selector, owner));
        vm.prank(owner);
        core.writeOptions(callId, maker, taker, 1);
    }

    function test_it_returns_the_collateral_it_locked() external {
        vm.prank(address(settlement));
        vm.assertEq(core.writeOptions(callId, maker, taker, 3), 3 * 550_000, "call");
        vm.prank(address(settlement));
        vm.assertEq(core.writeOptions(putId, maker, taker, 3), 3 * 450_000, "put");
    }

    function test_no_options_are_refused() external {
        refuses(callId, 0, abi.encodeWithSelector(IServiceCore.AmountZero.selector));
    }

    function test_an_unknown_series_is_refused() external {
        refuses(1, 1, abi.encodeWithSelector(IServiceCore.SeriesUnknown.selector, 1));
    }

    function test_writing_goes_on_until_the_second_before_expiry_and_stops_at_it() external {
        vm.warp(EXPIRY - 1);
        vm.prank(address(settlement));
        core.writeOptions(callId, maker, taker, 1);
        vm.warp(EXPIRY);
        refuses(callId, 1, abi.encodeWithSelector(IServiceCore.SeriesExpired.selector, callId, EXPIRY));
    }

    function test_a_settled_series_is_refused_with_its_price() external {
        settle(callId, 59);
        refuses(callId, 1, abi.encodeWithSelector(IServiceCore.SeriesAlreadySettled.selector, callId, 59));
    }

    function test_a_halted_series_is_refused_until_it_is_resumed() external {
        halt(callId, true);
        refuses(callId, 1, abi.encodeWithSelector(IServiceCore.SeriesHalted.selector, callId));
        halt(callId, false);
        vm.prank(address(settlement));
        core.writeOptions(callId, maker, taker, 1);
        vm.assertEq(core.balanceOf(taker, callId), 1, "long");
    }

    function test_open_interest_beyond_128_bits_is_refused() external {
        trade(callId, 5, 0);
        uint256 most = type(uint128).max;
        refuses(
            callId, most - 4, abi.encodeWithSelector(IServiceCore.OpenInterestOverflow.selector, callId, 5, most - 4)
        );
        usd.mint(maker, (most - 5) * 550_000);
        vm.prank(address(settlement));
        core.writeOptions(callId, maker, taker, most - 5);
        vm.assertEq(seriesOf(callId).openInterest, most, "open interest");
        vm.assertEq(seriesOf(callId).strikeBps, 4500, "its neighbours in the word");
        refuses(callId, 1, abi.encodeWithSelector(IServiceCore.OpenInterestOverflow.selector, callId, most, 1));
    }

    function test_options_are_not_minted_to_nobody() external {
        vm.expectRevert(abi.encodeWithSelector(IERC1155Errors.ERC1155InvalidReceiver.selector, address(0)));
        vm.prank(address(settlement));
        core.writeOptions(callId, maker, address(0), 1);
    }

    function refuses(uint256 seriesId, uint256 amount, bytes memory reason) private {
        vm.expectRevert(reason);
        vm.prank(address(settlement));
        core.writeOptions(seriesId, maker, taker, amount);
    }

    function halt(uint256 seriesId, bool halted) private {
        uint256[] memory ids = new uint256[](1);
        ids[0] = seriesId;
        vm.prank(owner);
        core.setHalted(ids, halted);
    }
}
