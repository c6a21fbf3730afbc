// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceCore} from "../../../src/IServiceCore.sol";
import {World} from "../../support/World.sol";
import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";

/// @title MoveShortTest
/// @notice A writer passes its short to an account that accepts it.
contract MoveShortTest is World {
    uint256 private constant DEADLINE = START + 1 hours;

    function setUp() public override {
        super.setUp();
        trade(callId, 10, 0);
    }

    function test_a_short_moves_to_the_account_that_accepts_it() external {
        bytes memory signature = acceptance(6, 0, DEADLINE);
        vm.expectEmit(address(core));
        emit IServiceCore.ShortMoved(callId, maker, taker, 6);
        move(6, DEADLINE, signature);
        vm.assertEq(core.shortOf(callId, maker), 4, "left");
        vm.assertEq(core.shortOf(callId, taker), 6, "taken over");
        vm.assertEq(seriesOf(callId).openInterest, 10, "open interest");
        settle(callId, 60);
        vm.prank(taker);
        vm.assertEq(core.claimWriterCollateral(callId), 6 * 400_000, "collateral");
    }

    function test_a_holder_that_takes_the_short_over_can_close() external {
        move(6, DEADLINE, acceptance(6, 0, DEADLINE));
        vm.prank(taker);
        vm.assertEq(core.closePosition(callId, 6, taker), 6 * 550_000, "returned");
    }

    function test_a_short_moves_after_settlement_too() external {
        settle(callId, 60);
        bytes memory signature = acceptance(6, 0, EXPIRY);
        move(6, EXPIRY, signature);
        vm.assertEq(core.shortOf(callId, taker), 6, "taken over");
    }

    function test_an_acceptance_counts_once() external {
        bytes memory signature = acceptance(2, 0, DEADLINE);
        move(2, DEADLINE, signature);
        vm.assertEq(core.nonces(taker), 1, "nonce");
        vm.assertEq(core.nonces(maker), 0, "who sends it uses none");
        refuses(2, DEADLINE, signature);
        move(2, DEADLINE, acceptance(2, 1, DEADLINE));
        vm.assertEq(core.shortOf(callId, taker), 4, "a second one adds to it");
    }

    function test_an_acceptance_counts_until_its_last_second() external {
        bytes memory signature = acceptance(2, 0, DEADLINE);
        vm.warp(DEADLINE + 1);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.AcceptanceExpired.selector, DEADLINE, DEADLINE + 1));
        move(2, DEADLINE, signature);
        vm.warp(DEADLINE);
        move(2, DEADLINE, signature);
    }

    function test_an_acceptance_is_of_one_sender_series_amount_and_time() external {
        bytes memory signature = acceptance(2, 0, DEADLINE);
        refuses(3, DEADLINE, signature);
        refuses(2, DEADLINE + 1, signature);
        trade(putId, 10, 1);
        bytes32 digest = core.hashShortTransfer(maker, taker, putId, 2, 0, DEADLINE);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.AcceptanceInvalid.selector, taker, digest));
        vm.prank(maker);
        core.moveShort(taker, putId, 2, DEADLINE, signature);
        digest = core.hashShortTransfer(stranger, taker, callId, 2, 0, DEADLINE);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.AcceptanceInvalid.selector, taker, digest));
        vm.prank(stranger);
        core.moveShort(taker, callId, 2, DEADLINE, signature);
    }

    function test_a_short_does_not_move_without_acceptance() external {
        bytes32 digest = core.hashShortTransfer(maker, taker, callId, 2, 0, DEADLINE);
        refuses(2, DEADLINE, sign(MAKER_KEY, digest));
        refuses(2, DEADLINE, "");
        digest = core.hashShortTransfer(maker, address(0), callId, 2, 0, DEADLINE);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.AcceptanceInvalid.selector, address(0), digest));
        vm.prank(maker);
        core.moveShort(address(0), callId, 2, DEADLINE, "");
    }

    function test_more_than_was_written_or_nothing_does_not_move() external {
        bytes memory signature = acceptance(11, 0, DEADLINE);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.ShortInsufficient.selector, callId, maker, 10, 11));
        move(11, DEADLINE, signature);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.AmountZero.selector));
        move(0, DEADLINE, signature);
    }

    function test_a_used_nonce_withdraws_an_acceptance() external {
        bytes memory signature = acceptance(2, 0, DEADLINE);
        vm.prank(taker);
        vm.assertEq(core.useNonce(), 0, "nonce that was used");
        vm.assertEq(core.nonces(taker), 1, "next nonce");
        refuses(2, DEADLINE, signature);
        move(2, DEADLINE, acceptance(2, 1, DEADLINE));
        vm.assertEq(core.shortOf(callId, taker), 2, "a new acceptance counts");
    }

    function test_a_nonce_is_used_by_its_account_alone() external {
        bytes memory signature = acceptance(2, 0, DEADLINE);
        vm.prank(maker);
        core.useNonce();
        vm.assertEq(core.nonces(maker), 1, "its own");
        vm.assertEq(core.nonces(taker), 0, "the other's stays");
        move(2, DEADLINE, signature);
        vm.assertEq(core.shortOf(callId, taker), 2, "taken over");
    }

    function test_a_contract_uses_its_nonce_too() external {
        Accepter accepter = new Accepter();
        vm.prank(address(accepter));
        vm.assertEq(core.useNonce(), 0, "nonce that was used");
        vm.assertEq(core.nonces(address(accepter)), 1, "next nonce");
        vm.prank(address(accepter));
        vm.assertEq(core.useNonce(), 1, "and the one after it");
        vm.assertEq(core.nonces(address(accepter)), 2, "next nonce");
    }

    function test_an_acceptance_for_a_later_nonce_waits() external {
        bytes memory signature = acceptance(2, 1, DEADLINE);
        refuses(2, DEADLINE, signature);
        vm.prank(taker);
        core.useNonce();
        move(2, DEADLINE, signature);
        vm.assertEq(core.shortOf(callId, taker), 2, "taken over");
    }

    function test_a_contract_accepts_by_its_own_check() external {
        Accepter accepter = new Accepter();
        vm.prank(maker);
        core.moveShort(address(accepter), callId, 2, DEADLINE, "yes");
        vm.assertEq(core.shortOf(callId, address(accepter)), 2, "taken over");
        bytes32 digest = core.hashShortTransfer(maker, address(accepter), callId, 2, 1, DEADLINE);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.AcceptanceInvalid.selector, accepter, digest));
        vm.prank(maker);
        core.moveShort(address(accepter), callId, 2, DEADLINE, "no");
    }

    function test_moving_a_short_to_itself_changes_nothing() external {
        bytes32 digest = core.hashShortTransfer(maker, maker, callId, 3, 0, DEADLINE);
        vm.prank(maker);
        core.moveShort(maker, callId, 3, DEADLINE, sign(MAKER_KEY, digest));
        vm.assertEq(core.shortOf(callId, maker), 10, "short");
    }

    function test_what_is_signed_is_the_type_that_the_interface_says() external view {
        bytes32 structHash = keccak256(
            abi.encode(
                keccak256(
                    "ShortTransfer(address from,address to,uint256 seriesId,uint256 amount,uint256 nonce,uint256 deadline)"
                ),
                maker,
                taker,
                callId,
                2,
                3,
                DEADLINE
            )
        );
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("ServiceCore"),
                keccak256("1"),
                80_002,
                core
            )
        );
        vm.assertEq(
            core.hashShortTransfer(maker, taker, callId, 2, 3, DEADLINE),
            keccak256(abi.encodePacked("\x19\x01", domain, structHash)),
            "digest"
        );
    }

    function acceptance(uint256 amount, uint256 nonce, uint256 deadline) private view returns (bytes memory) {
        return sign(TAKER_KEY, core.hashShortTransfer(maker, taker, callId, amount, nonce, deadline));
    }

    function move(uint256 amount, uint256 deadline, bytes memory signature) private {
        vm.prank(maker);
        core.moveShort(taker, callId, amount, deadline, signature);
    }

    function refuses(uint256 amount, uint256 deadline, bytes memory signature) private {
        bytes32 digest = core.hashShortTransfer(maker, taker, callId, amount, core.nonces(taker), deadline);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.AcceptanceInvalid.selector, taker, digest));
        move(amount, deadline, signature);
    }
}

/// @title Accepter
/// @notice This ERC-1271 contract accepts one digest.
contract Accepter is IERC1271 {
    function isValidSignature(bytes32, bytes calldata signature) external pure returns (bytes4) {
        return keccak256(signature) == keccak256("yes") ? IERC1271.isValidSignature.selector : bytes4(0);
    }
}
