// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceCore} from "../../../src/IServiceCore.sol";
import {OptionMath} from "../../../src/OptionMath.sol";
import {PricesWorld} from "../../support/PricesWorld.sol";
import {Vm} from "../../support/Vm.sol";

/// @title FixingTest
/// @notice All series and packages of a market and an expiry have one price.
contract FixingTest is PricesWorld {
    uint64 private constant LATER = EXPIRY + 1;
    bytes32 private constant OTHER = bytes32(uint256(0xC1));
    uint256 private constant FINAL = 1 << 40;

    uint256[] private siblings;
    uint256 private spread = leg(1, 0, 500) | leg(-1, 0, 6100) << 32;

    /// @dev Twelve calls and twelve puts of the market, at 0.05, 0.13, ...
    function setUp() public override {
        super.setUp();
        for (uint16 i = 0; i < 12; ++i) {
            siblings.push(createSeries(500 + i * 800, LATER, 0));
            siblings.push(createSeries(500 + i * 800, LATER, 1));
        }
    }

    function test_one_settlement_prices_the_24_series_of_a_market() external {
        vm.warp(LATER);
        vm.recordLogs();
        settle(siblings[13], 59);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        vm.assertEq(logs.length, 1, "one event");
        vm.assertEq(logs[0].topics[1], bytes32(siblings[13]), "which names the series of the call");
        for (uint256 i = 0; i < siblings.length; ++i) {
            expectPrice(siblings[i], 59, LATER + WINDOW);
            vm.assertEq(seriesOf(siblings[i]).payoff, OptionMath.payoff(i % 2, 500 + i / 2 * 800, 59), "payoff");
        }
        vm.warp(LATER + WINDOW);
        for (uint256 i = 0; i < siblings.length; ++i) {
            vm.assertEq(core.payoff(siblings[i]), OptionMath.payoff(i % 2, 500 + i / 2 * 800, 59), "final payoff");
        }
    }

    function test_a_settled_market_refuses_a_second_price_of_any_sibling() external {
        vm.warp(LATER);
        settle(siblings[0], 59);
        for (uint256 i = 0; i < siblings.length; ++i) {
            bytes memory signature = attestation(siblings[i], 60, LATER);
            vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesAlreadySettled.selector, siblings[i], 59));
            core.settleWithAttestation(siblings[i], 60, LATER, signature);
        }
    }

    function test_other_expiries_of_the_market_have_no_price() external {
        uint256 before = createSeries(500, LATER - 2, 0);
        uint256 after_ = createSeries(500, LATER + 1, 0);
        vm.warp(LATER + 1);
        settle(siblings[0], 59);
        expectNoPrice(before);
        expectNoPrice(after_);
        expectNoPrice(callId);
    }

    function test_two_expiries_of_a_market_have_prices_of_their_own() external {
        vm.warp(LATER);
        settle(callId, 30);
        settle(siblings[0], 70);
        expectPrice(putId, 30, LATER + WINDOW);
        expectPrice(siblings[1], 70, LATER + WINDOW);
    }

    function test_another_market_of_that_expiry_has_no_price() external {
        uint256 other = register(OTHER, market.tokenOf(conditionCollateral, OTHER, 0));
        vm.warp(LATER);
        settle(siblings[0], 59);
        expectNoPrice(other);
        settle(other, 20);
        expectPrice(other, 20, LATER + WINDOW);
        expectPrice(siblings[0], 59, LATER + WINDOW);
    }

    /// @dev YES and NO of one condition are two markets.
    function test_the_other_outcome_of_the_condition_has_no_price() external {
        uint256 other = register(CONDITION, market.tokenOf(conditionCollateral, CONDITION, 1));
        vm.warp(LATER);
        settle(siblings[0], 59);
        expectNoPrice(other);
    }

    function test_fixings_are_numbered_in_the_order_of_their_first_series() external {
        vm.assertEq(seriesOf(callId).fixing, 1, "first");
        vm.assertEq(seriesOf(putId).fixing, 1, "and its sibling");
        for (uint256 i = 0; i < siblings.length; ++i) {
            vm.assertEq(seriesOf(siblings[i]).fixing, 2, "second");
        }
        vm.assertEq(seriesOf(core.createPackage(CONDITION, yesToken, LATER, spread)).fixing, 2, "its package");
        uint256 other = register(OTHER, market.tokenOf(conditionCollateral, OTHER, 0));
        vm.assertEq(seriesOf(other).fixing, 3, "third");
        vm.assertEq(seriesOf(createSeries(9999, EXPIRY, 1)).fixing, 1, "a later series of the first");
    }

    function test_the_fixing_of_the_largest_number_has_a_price_of_its_own() external {
        uint256 most = type(uint32).max;
        setLastFixing(most - 2);
        uint256 before = createSeries(4500, LATER + 1, 0);
        uint256 last = createSeries(4500, LATER + 2, 0);
        uint256 sibling = createSeries(4600, LATER + 2, 1);
        vm.assertEq(seriesOf(before).fixing, most - 1, "the one before it");
        vm.assertEq(seriesOf(last).fixing, most, "the last");
        vm.assertEq(seriesOf(sibling).fixing, most, "and its sibling");
        vm.warp(LATER + 2);
        settle(last, 59);
        expectPrice(sibling, 59, LATER + 2 + WINDOW);
        expectNoPrice(before);
        expectNoPrice(callId);
        vm.expectRevert(abi.encodeWithSelector(bytes4(0x4e487b71), 0x11));
        createSeries(4500, LATER + 3, 0);
    }

    function test_a_package_prices_its_market() external {
        uint256 id = core.createPackage(CONDITION, yesToken, LATER, spread);
        vm.warp(LATER);
        settle(id, 59);
        expectPrice(siblings[23], 59, LATER + WINDOW);
        vm.assertEq(seriesOf(id).payoff, 540_000, "payoff of the package");
    }

    /// @dev A series that is registered after its market has a price cannot be: the expiry has passed.
    function test_no_series_joins_a_market_that_has_a_price() external {
        vm.warp(LATER);
        settle(siblings[0], 59);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.ExpiryOutOfRange.selector, LATER, LATER));
        createSeries(4444, LATER, 0);
    }

    function test_claims_open_for_all_series_in_the_second_at_which_the_price_is_final() external {
        trade(siblings[0], 10, 0);
        trade(siblings[3], 10, 1);
        vm.warp(LATER);
        settle(siblings[7], 59);
        vm.warp(LATER + WINDOW - 1);
        for (uint256 i = 0; i < 4; i += 3) {
            vm.expectRevert(abi.encodeWithSelector(IServiceCore.PriceNotFinal.selector, siblings[i], LATER + WINDOW));
            core.claimAllFor(taker, siblings[i]);
        }
        vm.warp(LATER + WINDOW);
        vm.assertEq(core.claimAllFor(taker, siblings[0]), 10 * 540_000, "a call at 0.05");
        vm.assertEq(core.claimAllFor(taker, siblings[3]), 0, "a put at 0.13");
        vm.assertEq(core.claimAllFor(maker, siblings[3]), 10 * 130_000, "its writer");
    }

    function test_the_first_claim_notes_that_the_price_is_final() external {
        trade(siblings[0], 10, 0);
        trade(siblings[3], 10, 1);
        vm.warp(LATER);
        settle(siblings[7], 59);
        vm.warp(LATER + WINDOW);
        vm.assertEq(slotsMadeFinal(taker, siblings[0]), 1, "the first claim writes it");
        vm.assertEq(slotsMadeFinal(maker, siblings[0]), 0, "a claim of the same series reads it");
        vm.assertEq(slotsMadeFinal(taker, siblings[3]), 0, "and so does one of a sibling");
        expectPrice(siblings[0], 59, LATER + WINDOW);
    }

    function test_a_price_takes_no_new_slot() external {
        vm.warp(LATER);
        uint256 before = vm.snapshotState();
        vm.record();
        settle(siblings[0], 59);
        (, bytes32[] memory written) = vm.accesses(address(core));
        vm.assertTrue(written.length != 0, "a price writes");
        vm.revertToState(before);
        for (uint256 i = 0; i < written.length; ++i) {
            vm.assertTrue(vm.load(address(core), written[i]) != 0, "in use before");
        }
    }

    function test_an_owners_price_is_noted_as_final_at_once() external {
        trade(callId, 10, 0);
        vm.warp(EXPIRY + 3 days);
        announce(callId, 70);
        vm.warp(EXPIRY + 4 days);
        execute(callId);
        vm.assertEq(slotsMadeFinal(taker, callId), 0, "the claim finds it");
    }

    /// @dev Claims for an account and counts the slots in which nothing but the flag was written.
    function slotsMadeFinal(address account, uint256 seriesId) private returns (uint256 count) {
        uint256 state = vm.snapshotState();
        vm.record();
        core.claimAllFor(account, seriesId);
        (, bytes32[] memory written) = vm.accesses(address(core));
        bytes32[] memory words = new bytes32[](written.length);
        for (uint256 i = 0; i < written.length; ++i) {
            words[i] = vm.load(address(core), written[i]);
        }
        vm.assertTrue(written.length != 0, "a claim writes");
        vm.revertToState(state);
        for (uint256 i = 0; i < written.length; ++i) {
            if (uint256(words[i] ^ vm.load(address(core), written[i])) == FINAL) ++count;
        }
        core.claimAllFor(account, seriesId);
    }

    /// @dev It is in the word of the registrar, at the high end.
    function setLastFixing(uint256 number) private {
        uint256 slot;
        while (address(uint160(uint256(vm.load(address(core), bytes32(slot))))) != registrar) ++slot;
        uint256 word = uint256(vm.load(address(core), bytes32(slot)));
        vm.assertEq(word >> 224, 2, "two fixings by now");
        vm.store(address(core), bytes32(slot), bytes32(word << 32 >> 32 | number << 224));
    }

    function register(bytes32 condition, uint256 token) private returns (uint256) {
        vm.prank(registrar);
        return core.createSeries(condition, token, conditionCollateral, 4500, LATER, 0);
    }
}
