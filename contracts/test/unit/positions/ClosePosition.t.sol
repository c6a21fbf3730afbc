// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceCore} from "../../../src/IServiceCore.sol";
import {IServiceRFQSettlement} from "../../../src/IServiceRFQSettlement.sol";
import {World} from "../../support/World.sol";
import {IERC1155Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";

/// @title ClosePositionTest
/// @notice An account burns longs against its own shorts and gets the collateral back.
contract ClosePositionTest is World {
    /// @dev The maker has written 10 and got 6 of them back; the taker holds the other 4.
    function setUp() public override {
        super.setUp();
        trade(callId, 10, 0);
        vm.prank(taker);
        core.safeTransferFrom(taker, maker, callId, 6, "");
    }

    function test_closing_burns_both_sides_and_returns_the_collateral() external {
        vm.expectEmit(address(core));
        emit IServiceCore.PositionClosed(callId, maker, stranger, 6, 6 * 550_000);
        vm.prank(maker);
        vm.assertEq(core.closePosition(callId, 6, stranger), 6 * 550_000, "returned");
        vm.assertEq(core.balanceOf(maker, callId), 0, "long");
        vm.assertEq(core.shortOf(callId, maker), 4, "short");
        vm.assertEq(seriesOf(callId).openInterest, 4, "open interest");
        vm.assertEq(usd.balanceOf(stranger), 6 * 550_000, "paid");
        vm.assertEq(usd.balanceOf(address(core)), 4 * 550_000, "still locked");
    }

    function test_a_part_can_be_closed() external {
        vm.prank(maker);
        core.closePosition(callId, 1, maker);
        vm.assertEq(core.balanceOf(maker, callId), 5, "long");
        vm.assertEq(core.shortOf(callId, maker), 9, "short");
    }

    function test_closing_after_settlement_reduces_the_open_interest() external {
        settle(callId, 60);
        vm.prank(maker);
        vm.assertEq(core.closePosition(callId, 6, maker), 6 * 550_000, "returned");
        vm.assertEq(seriesOf(callId).openInterest, 4, "written less closed");
        vm.prank(maker);
        vm.assertEq(core.claimWriterCollateral(callId), 4 * 400_000, "the rest of the short");
        vm.prank(taker);
        vm.assertEq(core.claimHolderPayout(callId, 4), 4 * 150_000, "the rest of the longs");
        vm.assertEq(usd.balanceOf(address(core)), 0, "nothing is left");
    }

    function test_closing_between_expiry_and_settlement_is_open() external {
        vm.warp(EXPIRY + 30 days);
        vm.prank(maker);
        vm.assertEq(core.closePosition(callId, 6, maker), 6 * 550_000, "returned");
    }

    function test_a_holder_that_sells_by_fill_locks_collateral_again() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        (order.makerSelling, order.optionAmount, order.premiumAmount, order.nonce) = (false, 4, 1_200_000, 1);
        bytes memory signature = signed(order);
        uint256 funds = usd.balanceOf(taker);
        vm.prank(taker);
        usd.transfer(stranger, funds - 4 * 100_000);
        (IServiceRFQSettlement.OrderStatus status,, uint256 shortfall,) = settlement.checkOrder(order, signature);
        vm.assertEq(
            uint8(status), uint8(IServiceRFQSettlement.OrderStatus.TakerBalanceLow), "it holds the four options"
        );
        vm.assertEq(shortfall, 4 * 450_000, "and lacks what they lock");

        usd.mint(taker, 4 * 450_000);
        vm.prank(taker);
        settlement.fill(order, signature);
        vm.assertEq(usd.balanceOf(taker), 1_200_000, "the premium is all it has now");
        vm.prank(taker);
        core.closePosition(callId, 4, taker);
        vm.assertEq(usd.balanceOf(taker), 1_200_000 + 4 * 550_000, "sold, and the collateral is back");
    }

    function test_more_than_was_written_cannot_be_closed() external {
        vm.prank(taker);
        core.safeTransferFrom(taker, maker, callId, 4, "");
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.ShortInsufficient.selector, callId, maker, 10, 11));
        vm.prank(maker);
        core.closePosition(callId, 11, maker);
    }

    function test_a_holder_that_has_written_nothing_cannot_close() external {
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.ShortInsufficient.selector, callId, taker, 0, 4));
        vm.prank(taker);
        core.closePosition(callId, 4, taker);
    }

    function test_more_than_is_held_cannot_be_closed() external {
        vm.expectRevert(abi.encodeWithSelector(IERC1155Errors.ERC1155InsufficientBalance.selector, maker, 6, 7, callId));
        vm.prank(maker);
        core.closePosition(callId, 7, maker);
    }

    function test_nothing_cannot_be_closed() external {
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.AmountZero.selector));
        vm.prank(maker);
        core.closePosition(callId, 0, maker);
    }

    function test_an_unknown_series_cannot_be_closed() external {
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesUnknown.selector, 1));
        vm.prank(maker);
        core.closePosition(1, 1, maker);
    }

    function test_a_close_is_not_paid_to_zero_core_or_settlement() external {
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.RecipientInvalid.selector, address(settlement)));
        vm.prank(maker);
        core.closePosition(callId, 1, address(settlement));
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.RecipientInvalid.selector, address(0)));
        vm.prank(maker);
        core.closePosition(callId, 1, address(0));
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.RecipientInvalid.selector, address(core)));
        vm.prank(maker);
        core.closePosition(callId, 1, address(core));
    }
}
