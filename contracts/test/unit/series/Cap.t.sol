// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRoles} from "../../../src/IRoles.sol";
import {IServiceCore} from "../../../src/IServiceCore.sol";
import {IServiceRFQSettlement} from "../../../src/IServiceRFQSettlement.sol";
import {World} from "../../support/World.sol";

/// @title CapTest
/// @notice A cap bounds what all series and packages of a market and expiry can owe together.
contract CapTest is World {
    /// @dev Ten calls at 0.4500.
    uint64 private constant CAP = 10 * 550_000;
    uint64 private constant LATER = EXPIRY + 1 days;

    uint256 private cappedCall;
    uint256 private cappedPut;
    uint256 private spread = leg(1, 0, 4500) | leg(-1, 0, 6500) << 32;

    function setUp() public override {
        super.setUp();
        setDefaultCap(CAP);
        cappedCall = createSeries(4500, LATER, 0);
        cappedPut = createSeries(4500, LATER, 1);
    }

    function test_a_series_fills_to_the_cap_and_no_further() external {
        trade(cappedCall, 9, 0);
        refuses(cappedCall, 2, 9 * 550_000);
        trade(cappedCall, 1, 1);
        refuses(cappedCall, 1, CAP);
        exposureIs(CAP);
    }

    function test_a_cap_counts_to_the_micro_dollar() external {
        setDefaultCap(CAP - 1);
        uint256 below = createSeries(4500, LATER + 1, 0);
        setDefaultCap(CAP + 1);
        uint256 above = createSeries(4500, LATER + 2, 0);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.ExposureAboveCap.selector, below, 0, 10 * 550_000, CAP - 1));
        vm.prank(address(settlement));
        core.openPositionPaidBy(maker, maker, taker, below, 10);
        trade(below, 9, 0);
        trade(above, 10, 1);
        vm.assertEq(seriesOf(below).openInterestCap, 9, "one micro-dollar short of ten");
        vm.assertEq(seriesOf(above).openInterestCap, 10, "ten, and not eleven");
    }

    /// @dev The collateral is a multiple of 2^64 micro-dollars.
    function test_a_cap_counts_collateral_beyond_64_bits() external {
        refuses(cappedCall, 2 ** 60, 0);
    }

    function test_a_later_default_changes_no_cap_that_exists() external {
        trade(cappedCall, 5, 0);
        setDefaultCap(100 * CAP);
        refuses(cappedCall, 6, 5 * 550_000);
        setDefaultCap(1);
        trade(cappedCall, 4, 1);
        setDefaultCap(0);
        refuses(cappedCall, 2, 9 * 550_000);
        trade(cappedCall, 1, 2);
        exposureIs(CAP);
    }

    function test_a_series_that_was_halted_and_resumed_is_still_capped() external {
        uint256[] memory ids = new uint256[](2);
        (ids[0], ids[1]) = (cappedCall, spreadOf(LATER));
        vm.prank(halter);
        core.setHalted(ids, true);
        vm.prank(owner);
        core.setHalted(ids, false);
        trade(cappedCall, 10, 0);
        refuses(cappedCall, 1, CAP);
        refuses(ids[1], 1, CAP);
    }

    function test_all_series_of_a_fixing_share_its_cap() external {
        trade(cappedCall, 5, 0);
        trade(cappedPut, 6, 1);
        exposureIs(5 * 550_000 + 6 * 450_000);
        refuses(cappedCall, 1, 5 * 550_000 + 6 * 450_000);
        refuses(cappedPut, 1, 5 * 550_000 + 6 * 450_000);
    }

    function test_a_package_shares_the_cap_of_its_legs() external {
        uint256 id = spreadOf(LATER);
        trade(id, 10, 0);
        exposureIs(10 * 200_000);
        trade(cappedCall, 6, 1);
        refuses(id, 2, 10 * 200_000 + 6 * 550_000);
        trade(id, 1, 2);
        exposureIs(CAP);
        refuses(cappedPut, 1, CAP);
    }

    function test_a_close_gives_room_back() external {
        trade(cappedCall, 10, 0);
        vm.prank(taker);
        core.safeTransferFrom(taker, maker, cappedCall, 3, "");
        vm.prank(maker);
        core.closePosition(cappedCall, 3, maker);
        exposureIs(7 * 550_000);
        refuses(cappedCall, 4, 7 * 550_000);
        trade(cappedCall, 3, 1);
        exposureIs(CAP);
    }

    function test_a_close_of_a_package_gives_room_back() external {
        uint256 id = spreadOf(LATER);
        trade(id, 27, 0);
        vm.prank(taker);
        core.safeTransferFrom(taker, maker, id, 20, "");
        vm.prank(maker);
        core.closePosition(id, 20, maker);
        exposureIs(7 * 200_000);
    }

    function test_a_close_inside_a_fill_gives_room_back() external {
        trade(cappedCall, 5, 0);
        // The maker has written five; it buys five others, which the taker writes, and closes by them.
        IServiceRFQSettlement.Order memory order = someOrder();
        (order.seriesId, order.optionAmount, order.premiumAmount, order.nonce) = (cappedCall, 5, 5, 1);
        (order.makerSelling, order.maker, order.taker) = (true, taker, maker);
        bytes memory signature = sign(TAKER_KEY, settlement.hashOrder(order));
        vm.prank(maker);
        settlement.fillFromInventory(order, signature, 0, 5, address(0), 0);
        vm.assertEq(core.shortOf(cappedCall, maker), 0, "closed");
        exposureIs(5 * 550_000);
    }

    function test_a_moved_short_gives_no_room_back() external {
        trade(cappedCall, 10, 0);
        bytes32 digest = core.hashShortTransfer(maker, taker, cappedCall, 10, 0, START);
        vm.prank(maker);
        core.moveShort(taker, cappedCall, 10, START, sign(TAKER_KEY, digest));
        exposureIs(CAP);
        refuses(cappedCall, 1, CAP);
    }

    function test_claims_give_no_room_back() external {
        trade(cappedCall, 10, 0);
        vm.warp(LATER);
        settle(cappedCall, 60);
        vm.prank(taker);
        core.claimHolderPayout(cappedCall, 10);
        vm.prank(maker);
        core.claimWriterCollateral(cappedCall);
        exposureIs(CAP);
        vm.assertEq(seriesOf(cappedCall).openInterest, 10, "open interest");
    }

    function test_options_from_inventory_take_no_room() external {
        trade(cappedCall, 10, 0);
        vm.prank(taker);
        core.setApprovalForAll(address(settlement), true);
        IServiceRFQSettlement.Order memory order = someOrder();
        (order.seriesId, order.optionAmount, order.premiumAmount, order.nonce) = (cappedCall, 10, 10, 1);
        order.makerSelling = false;
        bytes memory signature = signed(order);
        vm.prank(taker);
        settlement.fillFromInventory(order, signature, 10, 0, address(0), 0);
        vm.assertEq(core.balanceOf(maker, cappedCall), 10, "sold back");
        exposureIs(CAP);
    }

    function test_a_series_says_how_far_it_can_grow() external {
        uint256 id = spreadOf(LATER);
        vm.assertEq(seriesOf(cappedCall).openInterestCap, 10, "call");
        vm.assertEq(seriesOf(cappedPut).openInterestCap, 12, "put");
        vm.assertEq(seriesOf(id).openInterestCap, 27, "package");
        trade(cappedCall, 4, 0);
        vm.assertEq(seriesOf(cappedCall).openInterestCap, 10, "call");
        vm.assertEq(seriesOf(cappedPut).openInterestCap, 7, "put");
        vm.assertEq(seriesOf(id).openInterestCap, 16, "package");
        trade(cappedPut, 7, 1);
        vm.assertEq(seriesOf(cappedPut).openInterestCap, 7, "put, which is full");
        vm.assertEq(seriesOf(cappedCall).openInterestCap, 4, "call");
    }

    function test_an_order_check_reads_the_cap() external {
        IServiceRFQSettlement.Order memory order = someOrder();
        (order.seriesId, order.premiumAmount) = (cappedCall, 1);
        order.optionAmount = 11;
        says(order, IServiceRFQSettlement.OrderStatus.AmountTooLarge);
        order.optionAmount = 10;
        says(order, IServiceRFQSettlement.OrderStatus.Fillable);
        trade(cappedPut, 1, 1);
        says(order, IServiceRFQSettlement.OrderStatus.AmountTooLarge);
        order.optionAmount = 9;
        says(order, IServiceRFQSettlement.OrderStatus.Fillable);
    }

    function test_another_market_or_expiry_has_a_cap_of_its_own() external {
        trade(cappedCall, 10, 0);
        uint256 later = createSeries(4500, LATER + 1, 0);
        vm.prank(registrar);
        uint256 other = core.createSeries(bytes32(uint256(1)), YES_TOKEN, address(0), 4500, LATER, 0);
        trade(later, 10, 1);
        trade(other, 10, 2);
        refuses(later, 1, CAP);
        refuses(other, 1, CAP);
    }

    function test_a_cap_counts_for_fixings_created_after_it_alone() external {
        setDefaultCap(0);
        uint256 sibling = createSeries(4600, LATER, 0);
        uint256 free = createSeries(4600, LATER + 1, 0);
        setDefaultCap(1);
        uint256 late = createSeries(4700, LATER + 1, 0);
        uint256 early = createSeries(4600, EXPIRY, 0);
        vm.assertEq(seriesOf(callId).openInterestCap, 2 ** 68 - 1, "before the first cap");
        vm.assertEq(seriesOf(early).openInterestCap, 2 ** 68 - 1, "its sibling, registered under a cap");
        vm.assertEq(seriesOf(sibling).openInterestCap, 10, "a later series of a capped fixing");
        vm.assertEq(seriesOf(free).openInterestCap, 2 ** 68 - 1, "a fixing without one");
        vm.assertEq(seriesOf(late).openInterestCap, 2 ** 68 - 1, "its sibling");
        vm.assertEq(core.exposureOf(sibling).cap, CAP, "the cap of the fixing");
        vm.assertEq(core.exposureOf(late).cap, 0, "no cap");
    }

    function test_without_a_cap_nothing_is_counted() external {
        trade(callId, 250, 0);
        trade(spreadOf(EXPIRY), 250, 1);
        vm.assertEq(core.exposureOf(callId).owed, 0, "owed");
        vm.assertEq(core.exposureOf(callId).cap, 0, "cap");
    }

    function test_the_exposure_of_an_unknown_series_is_refused() external {
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesUnknown.selector, 1));
        core.exposureOf(1);
    }

    function test_the_owner_alone_sets_the_cap() external {
        vm.expectEmit(address(core));
        emit IServiceCore.DefaultCapChanged(type(uint64).max);
        setDefaultCap(type(uint64).max);
        vm.assertEq(core.defaultCap(), type(uint64).max, "cap");
        vm.assertEq(core.holderOf(IRoles.Role.Registrar), registrar, "its neighbour in the word");
        vm.assertEq(seriesOf(createSeries(4500, LATER + 1, 0)).fixing, 3, "its other neighbour");
        address[4] memory others = [registrar, guardian, halter, stranger];
        for (uint256 i = 0; i < others.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IRoles.NotInRole.selector, IRoles.Role.Owner, others[i]));
            vm.prank(others[i]);
            core.setDefaultCap(1);
        }
    }

    function spreadOf(uint64 expiry) private returns (uint256) {
        createSeries(6500, expiry, 0);
        return core.createPackage(CONDITION, YES_TOKEN, expiry, spread);
    }

    function exposureIs(uint256 owed) private view {
        IServiceCore.Exposure memory exposure = core.exposureOf(cappedCall);
        vm.assertEq(exposure.owed, owed, "owed");
        vm.assertEq(exposure.cap, CAP, "cap");
        vm.assertEq(core.exposureOf(cappedPut).owed, owed, "a sibling says the same");
    }

    function refuses(uint256 seriesId, uint256 amount, uint256 owed) private {
        uint256 collateral = core.requiredCollateral(seriesId, amount);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.ExposureAboveCap.selector, seriesId, owed, collateral, CAP));
        vm.prank(address(settlement));
        core.openPositionPaidBy(maker, maker, taker, seriesId, amount);
    }

    function says(IServiceRFQSettlement.Order memory order, IServiceRFQSettlement.OrderStatus expected) private view {
        (IServiceRFQSettlement.OrderStatus status,,,) = settlement.checkOrder(order, signed(order));
        vm.assertEq(uint256(status), uint256(expected), "status");
    }

    function setDefaultCap(uint64 cap) private {
        vm.prank(owner);
        core.setDefaultCap(cap);
    }
}
