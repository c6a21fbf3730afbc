// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceCore} from "../../../src/IServiceCore.sol";
import {World} from "../../support/World.sol";
import {IERC1155Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";

/// @title OpenPositionTest
/// @notice The settlement contract, and no other caller, writes options.
contract OpenPositionTest is World {
    function test_only_the_settlement_contract_writes_options() external {
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.NotSettlement.selector, owner));
        vm.prank(owner);
        core.openPositionPaidBy(maker, maker, taker, callId, 1);
    }

    function test_it_returns_the_collateral_it_locked() external {
        vm.prank(address(settlement));
        vm.assertEq(core.openPositionPaidBy(maker, maker, taker, callId, 3), 3 * 550_000, "call");
        vm.prank(address(settlement));
        vm.assertEq(core.openPositionPaidBy(maker, maker, taker, putId, 3), 3 * 450_000, "put");
    }

    function test_no_options_are_refused() external {
        refuses(callId, 0, abi.encodeWithSelector(IServiceCore.AmountZero.selector));
    }

    function test_an_unknown_series_is_refused() external {
        refuses(1, 1, abi.encodeWithSelector(IServiceCore.SeriesUnknown.selector, 1));
    }

    function test_writing_ends_at_expiry() external {
        vm.warp(EXPIRY - 1);
        vm.prank(address(settlement));
        core.openPositionPaidBy(maker, maker, taker, callId, 1);
        vm.warp(EXPIRY);
        refuses(callId, 1, abi.encodeWithSelector(IServiceCore.TradingEnded.selector, callId, EXPIRY));
    }

    /// @dev There is no price before the expiry, so that one check does for both.
    function test_a_settled_series_is_refused_as_an_expired_one_is() external {
        settle(callId, 59);
        refuses(callId, 1, abi.encodeWithSelector(IServiceCore.TradingEnded.selector, callId, EXPIRY));
    }

    function test_a_halted_series_is_refused_until_it_is_resumed() external {
        halt(callId, true);
        refuses(callId, 1, abi.encodeWithSelector(IServiceCore.SeriesHalted.selector, callId));
        halt(callId, false);
        vm.prank(address(settlement));
        core.openPositionPaidBy(maker, maker, taker, callId, 1);
        vm.assertEq(core.balanceOf(taker, callId), 1, "long");
    }

    function test_open_interest_beyond_68_bits_is_refused() external {
        trade(callId, 5, 0);
        uint256 most = 2 ** 68 - 1;
        refuses(callId, most - 4, abi.encodeWithSelector(IServiceCore.AmountTooLarge.selector, callId, 5, most - 4));
        refuses(
            callId,
            type(uint256).max,
            abi.encodeWithSelector(IServiceCore.AmountTooLarge.selector, callId, 5, type(uint256).max)
        );
        vm.assertEq(seriesOf(callId).openInterestCap, most, "cap");
        usd.mint(maker, (most - 5) * 550_000);
        vm.prank(address(settlement));
        core.openPositionPaidBy(maker, maker, taker, callId, most - 5);
        vm.assertEq(seriesOf(callId).openInterest, most, "open interest");
        vm.assertEq(seriesOf(callId).openInterestCap, most, "cap");
        vm.assertEq(seriesOf(callId).maxPayoff, 550_000, "its neighbours in the word");
        vm.assertEq(seriesOf(callId).strikeBps, 4500, "its neighbours in the word");
        refuses(callId, 1, abi.encodeWithSelector(IServiceCore.AmountTooLarge.selector, callId, most, 1));
    }

    function test_options_are_not_minted_to_the_zero_address() external {
        vm.expectRevert(abi.encodeWithSelector(IERC1155Errors.ERC1155InvalidReceiver.selector, address(0)));
        vm.prank(address(settlement));
        core.openPositionPaidBy(maker, maker, address(0), callId, 1);
    }

    function refuses(uint256 seriesId, uint256 amount, bytes memory reason) private {
        vm.expectRevert(reason);
        vm.prank(address(settlement));
        core.openPositionPaidBy(maker, maker, taker, seriesId, amount);
    }

    function halt(uint256 seriesId, bool halted) private {
        uint256[] memory ids = new uint256[](1);
        ids[0] = seriesId;
        vm.prank(owner);
        core.setHalted(ids, halted);
    }
}
