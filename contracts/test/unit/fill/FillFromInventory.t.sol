// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceCore} from "../../../src/IServiceCore.sol";
import {IServiceRFQSettlement} from "../../../src/IServiceRFQSettlement.sol";
import {World} from "../../support/World.sol";
import {IERC1155Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {IERC1155} from "@openzeppelin/contracts/token/ERC1155/IERC1155.sol";

/// @title FillFromInventoryTest
/// @notice Sellers deliver options that they hold, and takers close options that they wrote.
contract FillFromInventoryTest is World {
    address private immutable other = address(0x07E4);

    /// @dev Another wallet has written 250 calls that the maker holds and 100 that the taker holds.
    function setUp() public override {
        super.setUp();
        fund(other);
        hand(maker, 250, 1000);
        hand(taker, 100, 1001);
        approve(maker, true);
        approve(taker, true);
    }

    function test_a_maker_without_money_sells_what_it_holds() external {
        spend(maker);
        uint256 locked = usd.balanceOf(address(core));
        IServiceRFQSettlement.Order memory order = someOrder();
        bytes memory signature = signed(order);
        vm.expectEmit(address(settlement));
        emit IServiceRFQSettlement.OrderFilled(maker, taker, callId, 250, 77_500_000, true, 0);
        vm.expectEmit(address(core));
        emit IERC1155.TransferSingle(address(settlement), maker, taker, callId, 250);
        vm.prank(taker);
        settlement.fillFromInventory(order, signature, 250, 0, address(0), 0);
        vm.assertEq(usd.balanceOf(maker), 77_500_000, "premium");
        vm.assertEq(core.balanceOf(maker, callId), 0, "its longs are gone");
        vm.assertEq(core.balanceOf(taker, callId), 350, "the taker has them");
        vm.assertEq(core.shortOf(callId, maker), 0, "nothing was written");
        vm.assertEq(usd.balanceOf(address(core)), locked, "nothing was locked");
        vm.assertEq(seriesOf(callId).openInterest, 350, "nor is there more of it");
        vm.assertTrue(settlement.isNonceUsed(maker, 0), "the nonce is used");
    }

    function test_a_taker_without_money_sells_what_it_holds() external {
        spend(taker);
        IServiceRFQSettlement.Order memory order = sold(100);
        fillFrom(order, 100, 0);
        vm.assertEq(usd.balanceOf(taker), order.premiumAmount, "premium");
        vm.assertEq(core.balanceOf(maker, callId), 350, "long");
        vm.assertEq(core.shortOf(callId, taker), 0, "nothing was written");
    }

    function test_the_rest_is_written() external {
        IServiceRFQSettlement.Order memory order = sold(130);
        fillFrom(order, 100, 0);
        vm.assertEq(core.balanceOf(taker, callId), 0, "its longs are gone");
        vm.assertEq(core.balanceOf(maker, callId), 380, "long");
        vm.assertEq(core.shortOf(callId, taker), 30, "the rest is written");
        vm.assertEq(seriesOf(callId).openInterest, 380, "open interest");
    }

    function test_with_nothing_from_inventory_it_is_a_fill() external {
        approve(maker, false);
        fillFrom(someOrder(), 0, 0);
        vm.assertEq(core.shortOf(callId, maker), 250, "written");
        vm.assertEq(core.balanceOf(maker, callId), 250, "its longs stay");
    }

    function test_a_package_is_sold_from_inventory_too() external {
        createSeries(6500, EXPIRY, 0);
        uint256 id = createPackage(leg(1, 0, 4500) | leg(-1, 0, 6500) << 32);
        trade(id, 5, 50);
        IServiceRFQSettlement.Order memory order = sold(5);
        order.seriesId = id;
        order.premiumAmount = 5 * 200_000;
        fillFrom(order, 5, 0);
        vm.assertEq(core.balanceOf(maker, id), 5, "sold back");
    }

    function test_without_approval_nothing_leaves_the_inventory() external {
        approve(maker, false);
        refuses(
            someOrder(),
            250,
            0,
            abi.encodeWithSelector(IERC1155Errors.ERC1155MissingApprovalForAll.selector, address(settlement), maker)
        );
    }

    function test_more_than_is_held_does_not_come_from_inventory() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        order.optionAmount = 251;
        refuses(
            order,
            251,
            0,
            abi.encodeWithSelector(IERC1155Errors.ERC1155InsufficientBalance.selector, maker, 250, 251, callId)
        );
    }

    function test_more_than_is_sold_does_not_come_from_inventory() external {
        refuses(
            someOrder(), 251, 0, abi.encodeWithSelector(IServiceRFQSettlement.InventoryAboveAmount.selector, 251, 250)
        );
    }

    function test_the_premium_is_at_most_the_collateral_of_the_order() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        for (uint256 fromInventory = 0; fromInventory <= 250; fromInventory += 125) {
            order.premiumAmount = 250 * 550_000 + 1;
            refuses(
                order,
                fromInventory,
                0,
                abi.encodeWithSelector(
                    IServiceRFQSettlement.PremiumAboveCollateral.selector, 250 * 550_000 + 1, 250 * 550_000
                )
            );
            order.premiumAmount = 250 * 550_000;
            uint256 before = vm.snapshotState();
            fillFrom(order, fromInventory, 0);
            vm.revertToState(before);
        }
    }

    function test_inventory_of_a_halted_or_expired_series_is_not_sold() external {
        uint256[] memory ids = new uint256[](1);
        ids[0] = callId;
        vm.prank(guardian);
        core.setHalted(ids, true);
        IServiceRFQSettlement.Order memory order = someOrder();
        order.validUntil = EXPIRY;
        refuses(order, 250, 0, abi.encodeWithSelector(IServiceCore.SeriesHalted.selector, callId));
        vm.prank(owner);
        core.setHalted(ids, false);
        vm.warp(EXPIRY);
        refuses(order, 250, 0, abi.encodeWithSelector(IServiceCore.TradingEnded.selector, callId, EXPIRY));
        order.seriesId = 1;
        order.premiumAmount = 0;
        refuses(order, 250, 0, abi.encodeWithSelector(IServiceCore.SeriesUnknown.selector, 1));
    }

    function test_what_a_fill_checks_is_checked() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        bytes memory signature = signed(order);
        vm.expectRevert(abi.encodeWithSelector(IServiceRFQSettlement.NotTaker.selector, stranger, taker));
        vm.prank(stranger);
        settlement.fillFromInventory(order, signature, 250, 0, address(0), 0);
        bytes32 digest = settlement.hashOrder(order);
        vm.expectRevert(abi.encodeWithSelector(IServiceRFQSettlement.SignatureInvalid.selector, maker, digest));
        vm.prank(taker);
        settlement.fillFromInventory(order, "", 250, 0, address(0), 0);
        fillFrom(order, 200, 0);
        refuses(order, 50, 0, abi.encodeWithSelector(IServiceRFQSettlement.NonceUsed.selector, maker, 0));
        order.optionAmount = 0;
        refuses(order, 0, 0, abi.encodeWithSelector(IServiceRFQSettlement.AmountZero.selector));
    }

    function test_a_taker_closes_what_it_had_written_by_what_it_buys() external {
        // The taker has written 60 that a stranger's wallet bought.
        write(taker, 60, 7);
        uint256 money = usd.balanceOf(taker);
        uint256 longs = core.balanceOf(taker, callId);
        vm.expectEmit(address(core));
        emit IServiceCore.PositionClosed(callId, taker, taker, 60, 60 * 550_000);
        fillFrom(someOrder(), 250, 60);
        vm.assertEq(core.shortOf(callId, taker), 0, "closed");
        vm.assertEq(core.balanceOf(taker, callId), longs + 190, "the others stay");
        vm.assertEq(usd.balanceOf(taker), money - 77_500_000 + 60 * 550_000, "its collateral is back");
    }

    function test_a_taker_closes_by_options_that_are_written_for_it() external {
        write(taker, 60, 7);
        fillFrom(someOrder(), 0, 60);
        vm.assertEq(core.shortOf(callId, taker), 0, "closed");
        vm.assertEq(core.shortOf(callId, maker), 250, "the maker has written instead");
    }

    function test_a_taker_closes_at_most_what_it_buys_and_has_written() external {
        write(taker, 60, 7);
        refuses(someOrder(), 0, 251, abi.encodeWithSelector(IServiceRFQSettlement.CloseAboveBought.selector, 251, 250));
        refuses(
            someOrder(), 0, 61, abi.encodeWithSelector(IServiceCore.ShortInsufficient.selector, callId, taker, 60, 61)
        );
        refuses(sold(10), 10, 1, abi.encodeWithSelector(IServiceRFQSettlement.CloseAboveBought.selector, 1, 0));
        hand(taker, 1000, 1002);
        fillFrom(someOrder(), 0, 60);
    }

    function test_only_the_settlement_sells_or_closes_for_others() external {
        address[6] memory others = [maker, taker, owner, guardian, registrar, signer];
        for (uint256 i = 0; i < others.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IServiceCore.NotSettlement.selector, others[i]));
            vm.prank(others[i]);
            core.sellLongs(maker, taker, callId, 1);
            vm.expectRevert(abi.encodeWithSelector(IServiceCore.NotSettlement.selector, others[i]));
            vm.prank(others[i]);
            core.closeFor(callId, taker, 1);
        }
    }

    /// @dev The taker sells `amount` calls to the maker for 0.31 each.
    function sold(uint256 amount) private view returns (IServiceRFQSettlement.Order memory order) {
        order = someOrder();
        (order.makerSelling, order.optionAmount, order.premiumAmount) = (false, amount, amount * 310_000);
        order.nonce = 300 + amount;
    }

    /// @dev Gives a wallet longs that `other` has written.
    function hand(address to, uint256 amount, uint256 nonce) private {
        IServiceRFQSettlement.Order memory order = someOrder();
        (order.makerSelling, order.taker, order.optionAmount) = (false, other, amount);
        (order.premiumAmount, order.nonce) = (0, nonce);
        fill(order);
        if (to == maker) return;
        vm.prank(maker);
        core.safeTransferFrom(maker, to, callId, amount, "");
    }

    /// @dev Has a wallet write options that `other` gets.
    function write(address writer, uint256 amount, uint256 nonce) private {
        IServiceRFQSettlement.Order memory order = someOrder();
        (order.makerSelling, order.taker, order.optionAmount) = (false, writer, amount);
        (order.premiumAmount, order.nonce) = (0, nonce);
        fill(order);
        vm.prank(maker);
        core.safeTransferFrom(maker, other, callId, amount, "");
    }

    function fillFrom(IServiceRFQSettlement.Order memory order, uint256 fromInventory, uint256 closeAfter) private {
        bytes memory signature = signed(order);
        vm.prank(order.taker);
        settlement.fillFromInventory(order, signature, fromInventory, closeAfter, address(0), 0);
    }

    function refuses(
        IServiceRFQSettlement.Order memory order,
        uint256 fromInventory,
        uint256 closeAfter,
        bytes memory reason
    ) private {
        bytes memory signature = signed(order);
        vm.expectRevert(reason);
        vm.prank(order.taker);
        settlement.fillFromInventory(order, signature, fromInventory, closeAfter, address(0), 0);
    }

    function approve(address holder, bool approved) private {
        vm.prank(holder);
        core.setApprovalForAll(address(settlement), approved);
    }

    function spend(address wallet) private {
        uint256 balance = usd.balanceOf(wallet);
        vm.prank(wallet);
        usd.transfer(stranger, balance);
    }
}
