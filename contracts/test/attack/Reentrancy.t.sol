// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceCore} from "../../src/IServiceCore.sol";
import {IServiceRFQSettlement} from "../../src/IServiceRFQSettlement.sol";
import {World} from "../support/World.sol";
import {IERC1155Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {IERC1155Receiver} from "@openzeppelin/contracts/token/ERC1155/IERC1155Receiver.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

/// @title ReentrancyTest
/// @notice A taker calls back from the mint hook, the only moment at which it is called.
contract ReentrancyTest is World {
    Reentrant private attacker;

    /// @dev The attacker already holds and has written some of both series, and the put is settled: all that it could
    /// misuse is there.
    function setUp() public override {
        super.setUp();
        attacker = new Reentrant();
        fund(address(attacker));
        uint256 early = createEarlySeries();
        fillAsAttacker(order(early, true, 100));
        fillAsAttacker(order(early, false, 101));
        fillAsAttacker(order(callId, false, 102));
        vm.warp(START + 1 hours);
        core.settleWithAttestation(early, 50, START + 1 days, attestation(early, 50, START + 1 days));
        attacker.setSettled(early);
    }

    function test_fill_cannot_be_entered_from_the_mint() external {
        IServiceRFQSettlement.Order memory inner = order(callId, true, 1);
        attacks(
            address(settlement),
            abi.encodeCall(settlement.fill, (inner, signed(inner))),
            ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector
        );
    }

    function test_fill_with_permit_cannot_be_entered_from_the_mint() external {
        IServiceRFQSettlement.Order memory inner = order(callId, true, 1);
        IServiceRFQSettlement.Permit memory none;
        attacks(
            address(settlement),
            abi.encodeCall(settlement.fillWithPermit, (inner, signed(inner), none)),
            ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector
        );
    }

    function test_fill_batch_cannot_be_entered_from_the_mint() external {
        IServiceRFQSettlement.Order[] memory inner = new IServiceRFQSettlement.Order[](1);
        bytes[] memory signatures = new bytes[](1);
        inner[0] = order(callId, true, 1);
        signatures[0] = signed(inner[0]);
        attacks(
            address(settlement),
            abi.encodeCall(settlement.fillBatch, (inner, signatures)),
            ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector
        );
    }

    function test_the_same_order_cannot_be_filled_again_from_the_mint() external {
        IServiceRFQSettlement.Order memory outer = order(callId, true, 0);
        attacks(
            address(settlement),
            abi.encodeCall(settlement.fill, (outer, signed(outer))),
            IServiceRFQSettlement.NonceUsed.selector
        );
    }

    function test_a_position_cannot_be_closed_from_the_mint() external {
        attacks(
            address(core),
            abi.encodeCall(core.closePosition, (callId, 1, address(attacker))),
            ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector
        );
    }

    function test_no_claim_can_be_made_from_the_mint() external {
        uint256 settled = attacker.settled();
        bytes4 guarded = ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector;
        attacks(address(core), abi.encodeCall(core.claimHolderPayout, (settled, 1)), guarded);
        attacks(address(core), abi.encodeCall(core.claimHolderPayoutTo, (settled, 1, stranger)), guarded);
        attacks(address(core), abi.encodeCall(core.claimWriterCollateral, (settled)), guarded);
        attacks(address(core), abi.encodeCall(core.claimWriterCollateralTo, (settled, stranger)), guarded);
        uint256[] memory ids = new uint256[](1);
        ids[0] = settled;
        attacks(address(core), abi.encodeCall(core.claimMany, (ids, stranger)), guarded);
        attacks(address(core), abi.encodeCall(core.claimAllFor, (maker, settled)), guarded);
        attacks(address(core), abi.encodeCall(core.moveShort, (stranger, callId, 1, START + 1, "")), guarded);
    }

    function test_a_fill_from_inventory_cannot_be_entered_from_the_mint() external {
        giveInventory();
        IServiceRFQSettlement.Order memory inner = order(callId, true, 1);
        bytes4 guarded = ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector;
        bytes memory signature = signed(inner);
        attacks(
            address(settlement),
            abi.encodeCall(settlement.fillFromInventory, (inner, signature, 10, 0, address(0), 0)),
            guarded
        );
        attacks(
            address(settlement),
            abi.encodeCall(settlement.fillWithPartnerFee, (inner, signature, address(attacker), 500)),
            guarded
        );
        attacks(address(core), abi.encodeCall(core.sellLongs, (maker, address(attacker), callId, 1)), guarded);
        attacks(
            address(core),
            abi.encodeCall(core.closeFor, (callId, address(attacker), 1)),
            IServiceCore.NotSettlement.selector
        );
    }

    /// @dev The buyer of what comes from inventory is asked as one is by a mint, and can do as little.
    function test_options_from_inventory_arrive_under_the_same_guard() external {
        giveInventory();
        uint256 before = core.balanceOf(address(attacker), callId);
        IServiceRFQSettlement.Order memory inner = order(callId, true, 1);
        bytes[4] memory calls = [
            abi.encodeCall(settlement.fill, (inner, signed(inner))),
            abi.encodeCall(settlement.fillFromInventory, (inner, signed(inner), 10, 0, address(0), 0)),
            abi.encodeCall(core.closePosition, (callId, 1, address(attacker))),
            abi.encodeCall(core.claimHolderPayout, (attacker.settled(), 1))
        ];
        for (uint256 i = 0; i < calls.length; ++i) {
            uint256 state = vm.snapshotState();
            address target = i < 2 ? address(settlement) : address(core);
            attacker.onMint(target, calls[i], ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector);
            IServiceRFQSettlement.Order memory outer = order(callId, true, 0);
            bytes memory signature = signed(outer);
            vm.prank(address(attacker));
            settlement.fillFromInventory(outer, signature, 10, 5, address(0), 0);
            vm.assertTrue(attacker.attacked(), "the hook ran");
            vm.assertEq(core.balanceOf(address(attacker), callId), before + 5, "only the outer fill happened");
            vm.revertToState(state);
        }
    }

    /// @dev A taker that passes the options on from the hook has none left to close, and the whole fill reverts.
    function test_options_that_are_gone_from_the_hook_are_not_closed() external {
        giveInventory();
        attacker.onMint(
            address(core),
            abi.encodeCall(core.safeTransferFrom, (address(attacker), stranger, callId, 10, "")),
            bytes4(0)
        );
        IServiceRFQSettlement.Order memory outer = order(callId, true, 0);
        bytes memory signature = signed(outer);
        vm.expectRevert(
            abi.encodeWithSelector(IERC1155Errors.ERC1155InsufficientBalance.selector, address(attacker), 0, 5, callId)
        );
        vm.prank(address(attacker));
        settlement.fillFromInventory(outer, signature, 10, 5, address(0), 0);
    }

    /// @dev The maker holds what the attacker has written, and lets the settlement contract pass it on.
    function giveInventory() private {
        vm.assertEq(core.balanceOf(maker, callId), 10, "from the set-up");
        vm.assertEq(core.shortOf(callId, address(attacker)), 10, "of which the attacker is the writer");
        vm.prank(maker);
        core.setApprovalForAll(address(settlement), true);
    }

    function test_options_cannot_be_written_from_the_mint() external {
        attacks(
            address(core),
            abi.encodeCall(core.openPositionPaidBy, (maker, maker, address(attacker), callId, 1)),
            ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector
        );
    }

    function test_the_guard_resets_after_each_fill() external {
        IServiceRFQSettlement.Order[] memory orders = new IServiceRFQSettlement.Order[](2);
        bytes[] memory signatures = new bytes[](2);
        for (uint256 i = 0; i < 2; ++i) {
            orders[i] = order(callId, true, i);
            signatures[i] = signed(orders[i]);
        }
        vm.prank(address(attacker));
        settlement.fillBatch(orders, signatures);
        vm.prank(address(attacker));
        core.closePosition(callId, 1, address(attacker));
    }

    function test_what_the_mint_hook_sees_is_already_final() external {
        attacker.watch(core, callId, maker);
        uint256 lockedBefore = usd.balanceOf(address(core));
        fillAsAttacker(order(callId, true, 0));
        vm.assertEq(attacker.seenLongs(), 10, "longs");
        vm.assertEq(attacker.seenShorts(), 10, "the writer's short");
        vm.assertEq(attacker.seenOpenInterest(), 20, "open interest, with the 10 from before");
        vm.assertEq(attacker.seenLocked() - lockedBefore, 10 * 550_000, "collateral");
    }

    /// @dev Options may be passed on from the hook: they are paid for, and moving them moves no money.
    function test_options_may_be_sold_on_from_the_mint() external {
        attacker.onMint(
            address(core),
            abi.encodeCall(core.safeTransferFrom, (address(attacker), stranger, callId, 10, "")),
            bytes4(0)
        );
        fillAsAttacker(order(callId, true, 0));
        vm.assertEq(core.balanceOf(stranger, callId), 10, "sold on");
    }

    /// @dev The attacker records the reason of its inner call and accepts the mint, so that the outer fill succeeds.
    function attacks(address target, bytes memory call, bytes4 reason) private {
        uint256 before = vm.snapshotState();
        attacker.onMint(target, call, reason);
        IServiceRFQSettlement.Order memory outer = order(callId, true, 0);
        fillAsAttacker(outer);
        vm.assertTrue(attacker.attacked(), "the hook ran");
        vm.assertEq(core.balanceOf(address(attacker), callId), 10, "only the outer fill happened");
        vm.revertToState(before);
    }

    function order(uint256 seriesId, bool makerSelling, uint256 nonce)
        private
        view
        returns (IServiceRFQSettlement.Order memory)
    {
        return IServiceRFQSettlement.Order({
            maker: maker,
            seriesId: seriesId,
            optionAmount: 10,
            premiumAmount: 10,
            makerSelling: makerSelling,
            taker: address(attacker),
            validUntil: START + 1 days,
            nonce: nonce
        });
    }

    function fillAsAttacker(IServiceRFQSettlement.Order memory filled) private {
        bytes memory signature = signed(filled);
        vm.prank(address(attacker));
        settlement.fill(filled, signature);
    }

    function createEarlySeries() private returns (uint256) {
        return createSeries(5000, uint64(START + 1 hours), 1);
    }
}

/// @title Reentrant
/// @notice This taker makes one call from its mint hook.
contract Reentrant {
    address private target;
    bytes private call;
    bytes4 private expected;
    IServiceCore private watched;
    uint256 private watchedId;
    address private watchedWriter;

    bool public attacked;
    uint256 public settled;
    uint256 public seenLongs;
    uint256 public seenShorts;
    uint256 public seenOpenInterest;
    uint256 public seenLocked;

    function onMint(address target_, bytes calldata call_, bytes4 expected_) external {
        (target, call, expected) = (target_, call_, expected_);
    }

    function setSettled(uint256 seriesId) external {
        settled = seriesId;
    }

    function watch(IServiceCore core, uint256 seriesId, address writer) external {
        (watched, watchedId, watchedWriter) = (core, seriesId, writer);
    }

    function onERC1155Received(address, address, uint256, uint256, bytes calldata) external returns (bytes4) {
        if (target != address(0)) {
            (bool done, bytes memory reason) = target.call(call);
            require(expected == 0 ? done : !done && bytes4(reason) == expected, "another outcome than expected");
            attacked = true;
        }
        if (address(watched) != address(0)) {
            seenLongs = IBalances(address(watched)).balanceOf(address(this), watchedId);
            seenShorts = watched.shortOf(watchedId, watchedWriter);
            seenOpenInterest = watched.getSeries(watchedId).openInterest;
            seenLocked = IMoney(watched.stablecoin()).balanceOf(address(watched));
        }
        return IERC1155Receiver.onERC1155Received.selector;
    }
}

interface IBalances {
    function balanceOf(address account, uint256 id) external view returns (uint256);
}

interface IMoney {
    function balanceOf(address account) external view returns (uint256);
}
