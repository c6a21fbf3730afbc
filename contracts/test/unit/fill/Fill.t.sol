// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceCore} from "../../../src/IServiceCore.sol";
import {IServiceRFQSettlement} from "../../../src/IServiceRFQSettlement.sol";
import {World} from "../../support/World.sol";
import {IERC1155Errors, IERC20Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {IERC1155} from "@openzeppelin/contracts/token/ERC1155/IERC1155.sol";

/// @title FillTest
/// @notice The taker fills a maker's signed order.
contract FillTest is World {
    function test_fill_maker_sells() external {
        fill(someOrder());
        vm.assertEq(usd.balanceOf(maker), FUNDS - 250 * 550_000 + 77_500_000, "maker's money");
        vm.assertEq(usd.balanceOf(taker), FUNDS - 77_500_000, "taker's money");
        vm.assertEq(usd.balanceOf(address(core)), 250 * 550_000, "locked");
        vm.assertEq(usd.balanceOf(address(settlement)), 0, "settlement keeps nothing");
        vm.assertEq(core.balanceOf(taker, callId), 250, "long");
        vm.assertEq(core.shortOf(callId, maker), 250, "short");
        vm.assertEq(core.balanceOf(maker, callId), 0, "the writer holds no long");
        vm.assertEq(core.shortOf(callId, taker), 0, "the holder owes nothing");
        vm.assertEq(seriesOf(callId).openInterest, 250, "open interest");
    }

    function test_fill_maker_buys() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        order.makerSelling = false;
        order.seriesId = putId;
        fill(order);
        vm.assertEq(usd.balanceOf(taker), FUNDS - 250 * 450_000 + 77_500_000, "taker's money");
        vm.assertEq(usd.balanceOf(maker), FUNDS - 77_500_000, "maker's money");
        vm.assertEq(usd.balanceOf(address(core)), 250 * 450_000, "locked");
        vm.assertEq(core.balanceOf(maker, putId), 250, "long");
        vm.assertEq(core.shortOf(putId, taker), 250, "short");
    }

    function test_positions_of_several_fills_add_up() external {
        trade(callId, 10, 0);
        trade(callId, 32, 1);
        vm.assertEq(core.balanceOf(taker, callId), 42, "long");
        vm.assertEq(core.shortOf(callId, maker), 42, "short");
        vm.assertEq(seriesOf(callId).openInterest, 42, "open interest");
    }

    function test_a_fill_tells_everything_in_its_events() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        order.nonce = 300;
        bytes memory signature = signed(order);
        vm.expectEmit(address(settlement));
        emit IServiceRFQSettlement.OrderFilled(maker, taker, callId, 250, 77_500_000, true, 300);
        vm.expectEmit(address(core));
        emit IServiceCore.OptionsWritten(callId, maker, taker, 250, 250 * 550_000);
        vm.expectEmit(address(core));
        emit IERC1155.TransferSingle(address(settlement), address(0), taker, callId, 250);
        vm.prank(taker);
        settlement.fill(order, signature);
    }

    function test_a_fill_uses_the_nonce_of_its_maker_and_no_other() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        order.nonce = 511;
        fill(order);
        vm.assertTrue(settlement.isNonceUsed(maker, 511), "used");
        vm.assertTrue(!settlement.isNonceUsed(maker, 510), "its neighbour is not");
        vm.assertTrue(!settlement.isNonceUsed(maker, 255), "nor the same bit of the word before");
        vm.assertTrue(!settlement.isNonceUsed(taker, 511), "nor the taker's");
    }

    function test_only_the_taker_of_the_order_can_fill_it() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        bytes memory signature = signed(order);
        vm.expectRevert(abi.encodeWithSelector(IServiceRFQSettlement.NotTaker.selector, stranger, taker));
        vm.prank(stranger);
        settlement.fill(order, signature);
    }

    function test_an_order_can_be_filled_at_its_last_second() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        vm.warp(order.validUntil);
        fill(order);
        vm.assertEq(core.balanceOf(taker, callId), 250, "long");
    }

    function test_an_order_is_refused_a_second_after_its_last() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        vm.warp(order.validUntil + 1);
        refuses(
            order,
            abi.encodeWithSelector(IServiceRFQSettlement.OrderExpired.selector, order.validUntil, order.validUntil + 1)
        );
    }

    function test_an_order_for_no_options_is_refused() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        order.optionAmount = 0;
        refuses(order, abi.encodeWithSelector(IServiceRFQSettlement.AmountZero.selector));
    }

    function test_a_maker_cannot_trade_with_itself() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        order.taker = maker;
        refuses(order, abi.encodeWithSelector(IServiceRFQSettlement.SelfTrade.selector, maker));
    }

    function test_a_signature_by_another_key_is_refused() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        bytes32 digest = settlement.hashOrder(order);
        bytes memory signature = sign(TAKER_KEY, digest);
        vm.expectRevert(abi.encodeWithSelector(IServiceRFQSettlement.SignatureInvalid.selector, maker, digest));
        vm.prank(taker);
        settlement.fill(order, signature);
    }

    function test_an_order_fills_once() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        fill(order);
        refuses(order, abi.encodeWithSelector(IServiceRFQSettlement.NonceUsed.selector, maker, 0));
    }

    function test_two_orders_of_one_nonce_fill_once() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        fill(order);
        order.premiumAmount = 1;
        refuses(order, abi.encodeWithSelector(IServiceRFQSettlement.NonceUsed.selector, maker, 0));
    }

    function test_a_premium_may_equal_the_collateral_and_not_exceed_it() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        order.premiumAmount = 250 * 550_000 + 1;
        refuses(
            order,
            abi.encodeWithSelector(
                IServiceRFQSettlement.PremiumAboveCollateral.selector, 250 * 550_000 + 1, 250 * 550_000
            )
        );
        order.premiumAmount = 250 * 550_000;
        fill(order);
        vm.assertEq(core.balanceOf(taker, callId), 250, "long");
    }

    function test_a_buyer_without_the_premium_reverts_the_fill() external {
        vm.prank(taker);
        usd.transfer(stranger, FUNDS - 77_499_999);
        refuses(
            someOrder(),
            abi.encodeWithSelector(IERC20Errors.ERC20InsufficientBalance.selector, taker, 77_499_999, 77_500_000)
        );
    }

    function test_a_buyer_approves_the_settlement_for_the_premium() external {
        vm.prank(taker);
        usd.approve(address(settlement), 77_499_999);
        refuses(
            someOrder(),
            abi.encodeWithSelector(
                IERC20Errors.ERC20InsufficientAllowance.selector, address(settlement), 77_499_999, 77_500_000
            )
        );
    }

    function test_a_writer_approves_the_core_for_the_collateral() external {
        vm.prank(maker);
        usd.approve(address(core), 250 * 550_000 - 1);
        refuses(
            someOrder(),
            abi.encodeWithSelector(
                IERC20Errors.ERC20InsufficientAllowance.selector, address(core), 250 * 550_000 - 1, 250 * 550_000
            )
        );
    }

    function test_a_failed_fill_leaves_the_nonce_and_the_money_untouched() external {
        vm.prank(maker);
        usd.approve(address(core), 0);
        refuses(
            someOrder(),
            abi.encodeWithSelector(IERC20Errors.ERC20InsufficientAllowance.selector, address(core), 0, 250 * 550_000)
        );
        vm.assertTrue(!settlement.isNonceUsed(maker, 0), "nonce");
        vm.assertEq(usd.balanceOf(taker), FUNDS, "premium");
    }

    function test_a_taker_that_cannot_receive_options_reverts_the_fill() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        order.taker = address(usd);
        usd.mint(address(usd), FUNDS);
        vm.prank(address(usd));
        usd.approve(address(settlement), FUNDS);
        refuses(order, abi.encodeWithSelector(IERC1155Errors.ERC1155InvalidReceiver.selector, address(usd)));
    }

    function test_a_series_that_was_never_created_reverts_the_fill() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        order.seriesId = 1;
        refuses(order, abi.encodeWithSelector(IServiceCore.SeriesUnknown.selector, 1));
    }

    function test_an_order_is_checked_in_a_fixed_sequence() external {
        fill(someOrder());
        IServiceRFQSettlement.Order memory order = someOrder();
        (order.maker, order.optionAmount, order.seriesId) = (stranger, 0, 1);
        order.taker = stranger;
        order.validUntil = START - 1;

        reverts(order, taker, IServiceRFQSettlement.NotTaker.selector);
        reverts(order, stranger, IServiceRFQSettlement.OrderExpired.selector);
        order.validUntil = START;
        reverts(order, stranger, IServiceRFQSettlement.AmountZero.selector);
        order.optionAmount = 1;
        reverts(order, stranger, IServiceRFQSettlement.SelfTrade.selector);
        order.maker = maker;
        reverts(order, stranger, IServiceRFQSettlement.SignatureInvalid.selector);
        refuses(order, abi.encodeWithSelector(IServiceRFQSettlement.NonceUsed.selector, maker, 0));
        order.nonce = 1;
        refuses(
            order,
            abi.encodeWithSelector(
                IERC20Errors.ERC20InsufficientAllowance.selector, address(settlement), 0, order.premiumAmount
            )
        );
        order.premiumAmount = 0;
        refuses(order, abi.encodeWithSelector(IServiceCore.SeriesUnknown.selector, 1));
    }

    function reverts(IServiceRFQSettlement.Order memory order, address caller, bytes4 selector) private {
        vm.prank(caller);
        try settlement.fill(order, "") {
            vm.assertTrue(false, "filled");
        } catch (bytes memory reason) {
            vm.assertEq(bytes32(bytes4(reason)), bytes32(selector), "reason");
        }
    }

    function refuses(IServiceRFQSettlement.Order memory order, bytes memory reason) private {
        bytes memory signature = signed(order);
        vm.expectRevert(reason);
        vm.prank(order.taker);
        settlement.fill(order, signature);
    }
}
