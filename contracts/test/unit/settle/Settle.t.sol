// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceCore} from "../../../src/IServiceCore.sol";
import {World} from "../../support/World.sol";

/// @title SettleTest
/// @notice Anyone settles a series with the signer's attestation.
contract SettleTest is World {
    function test_anyone_settles_at_expiry_with_the_signers_price() external {
        vm.warp(EXPIRY);
        bytes memory signature = attestation(callId, 59, EXPIRY);
        vm.expectEmit(address(core));
        emit IServiceCore.SeriesSettled(callId, 59, EXPIRY);
        vm.prank(stranger);
        core.settleWithAttestation(callId, 59, EXPIRY, signature);
        vm.assertTrue(seriesOf(callId).settled, "settled");
        vm.assertEq(seriesOf(callId).resolutionBps, 59, "price");
        vm.assertEq(seriesOf(callId).strikeBps, 4500, "its neighbours in the word");
        vm.assertEq(seriesOf(callId).expiry, EXPIRY, "its neighbours in the word");
        vm.assertEq(seriesOf(callId).maxPayoff, 550_000, "its neighbours in the word");
        vm.assertEq(seriesOf(callId).payoff, 140_000, "payoff");
        vm.assertEq(seriesOf(callId).finalAt, EXPIRY, "final at once");
        vm.assertTrue(seriesOf(putId).settled, "and so is its sibling");
    }

    function test_strike_0_50_at_resolution_59_pays_a_call_0_09() external {
        uint256 call = createSeries(5000, EXPIRY, 0);
        uint256 put = createSeries(5000, EXPIRY, 1);
        settle(call, 59);
        vm.assertEq(core.payoff(call), 90_000, "call");
        vm.assertEq(core.payoff(put), 0, "put");
    }

    function test_both_ends_of_the_price_scale_settle() external {
        uint256 call = newSeries(0);
        uint256 put = newSeries(1);
        vm.warp(EXPIRY + 1 days);
        settle(callId, 0);
        vm.assertEq(core.payoff(callId), 0, "a call at 0");
        vm.assertEq(core.payoff(putId), 450_000, "a put at 0 pays its most");
        settle(call, 100);
        vm.assertEq(core.payoff(call), 550_000, "a call at 100 pays its most");
        vm.assertEq(core.payoff(put), 0, "a put at 100");
    }

    function test_a_signed_price_above_100_is_refused() external {
        vm.warp(EXPIRY);
        refuses(callId, 101, EXPIRY, abi.encodeWithSelector(IServiceCore.ResolutionOutOfRange.selector, 101));
        refuses(callId, 356, EXPIRY, abi.encodeWithSelector(IServiceCore.ResolutionOutOfRange.selector, 356));
    }

    function test_before_expiry_nothing_settles() external {
        vm.warp(EXPIRY - 1);
        refuses(callId, 59, EXPIRY, abi.encodeWithSelector(IServiceCore.SeriesNotExpired.selector, callId, EXPIRY));
    }

    function test_an_attestation_counts_until_its_last_second() external {
        vm.warp(EXPIRY + 10);
        refuses(
            callId,
            59,
            EXPIRY + 9,
            abi.encodeWithSelector(IServiceCore.AttestationExpired.selector, EXPIRY + 9, EXPIRY + 10)
        );
        core.settleWithAttestation(callId, 59, EXPIRY + 10, attestation(callId, 59, EXPIRY + 10));
        vm.assertTrue(seriesOf(callId).settled, "settled");
    }

    function test_an_attestation_for_more_than_a_day_ahead_is_refused() external {
        vm.warp(EXPIRY);
        uint256 last = EXPIRY + 1 days;
        refuses(
            callId, 59, last + 1, abi.encodeWithSelector(IServiceCore.AttestationTooFarAhead.selector, last + 1, EXPIRY)
        );
        refuses(
            callId,
            59,
            type(uint256).max,
            abi.encodeWithSelector(IServiceCore.AttestationTooFarAhead.selector, type(uint256).max, EXPIRY)
        );
        core.settleWithAttestation(callId, 59, last, attestation(callId, 59, last));
        vm.assertTrue(seriesOf(callId).settled, "settled");
    }

    function test_a_series_settles_once() external {
        settle(callId, 59);
        refuses(callId, 60, EXPIRY, abi.encodeWithSelector(IServiceCore.SeriesAlreadySettled.selector, callId, 59));
        vm.assertEq(seriesOf(callId).resolutionBps, 59, "price");
    }

    function test_an_unknown_series_is_refused() external {
        refuses(1, 59, EXPIRY, abi.encodeWithSelector(IServiceCore.SeriesUnknown.selector, 1));
    }

    function test_only_the_resolution_signers_signature_counts() external {
        vm.warp(EXPIRY);
        bytes memory signature = sign(MAKER_KEY, core.hashAttestation(callId, 59, EXPIRY));
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.AttestationSignerInvalid.selector, maker, signer));
        core.settleWithAttestation(callId, 59, EXPIRY, signature);
    }

    function test_a_malformed_signature_recovers_to_zero() external {
        vm.warp(EXPIRY);
        bytes memory signature = attestation(callId, 59, EXPIRY);
        bytes[3] memory malformed =
            [bytes(""), bytes.concat(signature, hex"00"), bytes.concat(bytes32(0), bytes32(0), hex"1b")];
        for (uint256 i = 0; i < malformed.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IServiceCore.AttestationSignerInvalid.selector, address(0), signer));
            core.settleWithAttestation(callId, 59, EXPIRY, malformed[i]);
        }
    }

    function test_a_signature_of_one_attestation_does_not_settle_another() external {
        vm.warp(EXPIRY);
        bytes memory signature = attestation(callId, 59, EXPIRY);
        reverts(putId, 59, EXPIRY, signature);
        reverts(callId, 60, EXPIRY, signature);
        reverts(callId, 59, EXPIRY + 1, signature);
    }

    function test_an_attestation_for_another_core_is_refused() external {
        vm.warp(EXPIRY);
        bytes memory signature = attestation(callId, 59, EXPIRY);
        (core,) = deploy(address(usd));
        vm.warp(START);
        createSeries(4500, EXPIRY, 0);
        vm.warp(EXPIRY);
        reverts(callId, 59, EXPIRY, signature);
    }

    function test_the_golden_type_hash_is_the_one_that_is_signed() external view {
        bytes32 structHash = keccak256(
            abi.encode(bytes32(0x0e9085255ba2b847122246107e48b66adf38263746e1a8b8b18da95e7d1f824f), callId, 59, EXPIRY)
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
        bytes32 digest = keccak256(abi.encodePacked("\x19\x01", domain, structHash));
        vm.assertEq(core.hashAttestation(callId, 59, EXPIRY), digest, "digest");
    }

    function newSeries(uint8 optionType) private returns (uint256) {
        return createSeries(4500, EXPIRY + 1 days, optionType);
    }

    function refuses(uint256 seriesId, uint16 resolutionBps, uint256 validUntil, bytes memory reason) private {
        bytes memory signature = attestation(seriesId, resolutionBps, validUntil);
        vm.expectRevert(reason);
        core.settleWithAttestation(seriesId, resolutionBps, validUntil, signature);
    }

    /// @dev A signature over other data recovers to an unpredictable address, so that the test checks only the refusal.
    function reverts(uint256 seriesId, uint16 resolutionBps, uint256 validUntil, bytes memory signature) private {
        try core.settleWithAttestation(seriesId, resolutionBps, validUntil, signature) {
            vm.assertTrue(false, "settled");
        } catch (bytes memory reason) {
            vm.assertEq(
                bytes32(bytes4(reason)), bytes32(IServiceCore.AttestationSignerInvalid.selector), "reason of refusal"
            );
        }
    }
}
