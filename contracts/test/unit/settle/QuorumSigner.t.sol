// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IQuorumSigner} from "../../../src/IQuorumSigner.sol";
import {IRoles} from "../../../src/IRoles.sol";
import {IServiceCore} from "../../../src/IServiceCore.sol";
import {QuorumSigner} from "../../../src/QuorumSigner.sol";
import {PricesWorld} from "../../support/PricesWorld.sol";

/// @title QuorumSignerTest
/// @notice A contract of three keys is the resolution signer, and two of them attest.
contract QuorumSignerTest is PricesWorld {
    bytes4 private constant INVALID = 0xffffffff;
    bytes32 private constant DIGEST = keccak256("digest");
    IRoles.Role private constant SIGNER = IRoles.Role.ResolutionSigner;
    /// @dev Order of the secp256k1 curve: `n - s` makes a second signature of the same key.
    uint256 private constant N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141;

    /// @dev In ascending order of their addresses.
    uint256[] private keys;
    QuorumSigner private signers;

    function setUp() public override {
        super.setUp();
        keys = sortedKeys(3);
        signers = quorumOf(addressesOf(keys), 2);
        propose(SIGNER, address(signers));
        vm.warp(START + 3 days);
        vm.prank(stranger);
        signers.acceptRole(core);
        vm.warp(EXPIRY);
    }

    // A price.

    function test_two_of_its_keys_attest_together() external {
        for (uint256 first = 0; first < 2; ++first) {
            for (uint256 second = first + 1; second < 3; ++second) {
                uint256 before = vm.snapshotState();
                core.settleWithAttestation(callId, 59, EXPIRY, attestedBy(keys[first], keys[second]));
                expectPrice(callId, 59, FINAL_AT);
                vm.revertToState(before);
            }
        }
    }

    function test_one_of_its_keys_does_not() external {
        isRefused(attestedBy(keys[1], keys[1]));
        isRefused(sign(keys[0], core.hashAttestation(callId, 59, EXPIRY)));
    }

    function test_a_key_of_it_and_another_do_not() external {
        for (uint256 other = 1; other < 20; ++other) {
            if (isKey(vm.addr(other))) continue;
            isRefused(vm.addr(other) < vm.addr(keys[0]) ? attestedBy(other, keys[0]) : attestedBy(keys[0], other));
        }
    }

    function test_the_former_signers_key_does_not() external {
        isRefused(attestation(callId, 59, EXPIRY));
    }

    function test_a_quorum_names_one_price_of_each_market_and_expiry() external {
        core.settleWithAttestation(callId, 59, EXPIRY, attestedBy(keys[0], keys[2]));
        bytes memory second = attestedBy(keys[0], keys[1]);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesAlreadySettled.selector, callId, 59));
        core.settleWithAttestation(callId, 59, EXPIRY, second);
    }

    /// @dev One signature does not price another series, core or chain: the digest names them.
    function test_signatures_of_its_keys_count_for_the_digest_alone() external {
        bytes memory signature = attestedBy(keys[0], keys[1]);
        vm.expectRevert(
            abi.encodeWithSelector(IServiceCore.AttestationSignerInvalid.selector, address(0), address(signers))
        );
        core.settleWithAttestation(callId, 60, EXPIRY, signature);
    }

    // Fewer keys than the threshold are stolen, and as many.

    function test_fewer_stolen_keys_than_the_threshold_name_no_price() external {
        bytes32 digest = core.hashAttestation(callId, 100, EXPIRY);
        bytes memory own = sign(keys[1], digest);
        bytes memory twin = mirrored(own);
        uint256 others = uint256(keccak256("a key of the thief")) >> 1;
        bytes memory foreign = sign(others, digest);
        bytes[8] memory tries = [
            own,
            bytes.concat(own, own),
            bytes.concat(own, twin),
            bytes.concat(twin, own),
            bytes.concat(own, foreign),
            bytes.concat(foreign, own),
            bytes.concat(own, new bytes(65)),
            bytes.concat(own, own, own)
        ];
        for (uint256 i = 0; i < tries.length; ++i) {
            isRefused(100, tries[i]);
        }
    }

    function test_a_lost_key_of_three_stops_no_settlement() external {
        core.settleWithAttestation(callId, 59, EXPIRY, attestedBy(keys[0], keys[2]));
        expectPrice(callId, 59, FINAL_AT);
    }

    function test_as_many_stolen_keys_as_the_threshold_name_each_due_price() external {
        core.settleWithAttestation(callId, 59, EXPIRY, attestedBy(keys[1], keys[2]));
        expectPrice(callId, 59, FINAL_AT);
    }

    function test_one_revocation_voids_all_that_a_stolen_quorum_booked() external {
        core.settleWithAttestation(callId, 59, EXPIRY, attestedBy(keys[1], keys[2]));
        vm.prank(guardian);
        core.removeFromRole(SIGNER, address(signers));
        expectNoPrice(callId);
        vm.expectRevert(abi.encodeWithSelector(IRoles.SignerWasRevoked.selector, address(signers)));
        propose(SIGNER, address(signers));
    }

    /// @dev By every call that it has, and by any other; contrast a Safe, whose owners change their list at once.
    function test_a_stolen_quorum_changes_neither_its_keys_nor_its_threshold() external {
        bytes memory list = abi.encode(signers.getOwners(), signers.getThreshold());
        bytes4[9] memory calls = [
            bytes4(keccak256("addOwnerWithThreshold(address,uint256)")),
            bytes4(keccak256("removeOwner(address,address,uint256)")),
            bytes4(keccak256("swapOwner(address,address,address)")),
            bytes4(keccak256("changeThreshold(uint256)")),
            bytes4(keccak256("transferOwnership(address)")),
            bytes4(keccak256("upgradeTo(address)")),
            bytes4(keccak256("execTransaction(address,uint256,bytes)")),
            bytes4(keccak256("setup(address[],uint256)")),
            bytes4(0)
        ];
        for (uint256 i = 0; i < calls.length; ++i) {
            vm.prank(vm.addr(keys[1]));
            (bool passed, bytes memory answer) = address(signers).call(bytes.concat(calls[i], new bytes(256)));
            vm.assertTrue(!passed && answer.length == 0, vm.toString(bytes32(calls[i])));
        }
        (bool paid,) = address(signers).call{value: 0}("");
        vm.assertTrue(!paid, "takes nothing");
        vm.assertEq(keccak256(abi.encode(signers.getOwners(), signers.getThreshold())), keccak256(list), "the list");
    }

    // Its role.

    function test_anyone_has_it_accept_the_role_that_the_owner_proposed_after_the_notice() external {
        QuorumSigner other = quorumOf(addressesOf(sortedKeys(5)), 3);
        vm.expectRevert(abi.encodeWithSelector(IRoles.ProposalMissing.selector, SIGNER));
        other.acceptRole(core);
        propose(SIGNER, address(other));
        vm.warp(EXPIRY + 3 days - 1);
        vm.expectRevert(abi.encodeWithSelector(IRoles.TooEarly.selector, EXPIRY + 3 days, EXPIRY + 3 days - 1));
        other.acceptRole(core);
        vm.warp(EXPIRY + 3 days);
        vm.prank(stranger);
        other.acceptRole(core);
        vm.assertEq(core.resolutionSigner(), address(other), "signer");
    }

    function test_it_accepts_no_other_role() external {
        IRoles.Role[2] memory others = [IRoles.Role.Owner, IRoles.Role.Guardian];
        for (uint256 i = 0; i < 2; ++i) {
            propose(others[i], address(signers));
        }
        vm.warp(EXPIRY + 3 days);
        vm.expectRevert(abi.encodeWithSelector(IRoles.ProposalMissing.selector, SIGNER));
        signers.acceptRole(core);
        vm.assertEq(core.owner(), owner, "owner");
        vm.assertEq(core.holderOf(IRoles.Role.Guardian), guardian, "guardian");
    }

    function test_another_contract_does_not_accept_for_it() external {
        QuorumSigner proposed = quorumOf(addressesOf(sortedKeys(4)), 2);
        propose(SIGNER, address(proposed));
        vm.warp(EXPIRY + 3 days);
        vm.expectRevert(abi.encodeWithSelector(IRoles.NotProposed.selector, SIGNER, address(signers)));
        signers.acceptRole(core);
    }

    function test_the_guardian_refuses_other_keys_in_their_notice() external {
        QuorumSigner other = quorumOf(addressesOf(sortedKeys(5)), 3);
        propose(SIGNER, address(other));
        vm.prank(guardian);
        core.removeFromRole(SIGNER, address(other));
        vm.warp(EXPIRY + 3 days);
        vm.expectRevert(abi.encodeWithSelector(IRoles.ProposalMissing.selector, SIGNER));
        other.acceptRole(core);
    }

    // Its list.

    function test_its_keys_and_threshold_are_read_as_those_of_a_safe_are() external view {
        vm.assertEq(keccak256(abi.encode(signers.getOwners())), keccak256(abi.encode(addressesOf(keys))), "keys");
        vm.assertEq(signers.getThreshold(), 2, "threshold");
    }

    function test_it_has_1_to_16_keys() external {
        address[] memory none = new address[](0);
        refusesList(none, 1, abi.encodeWithSelector(IQuorumSigner.KeyCountOutOfRange.selector, 0));
        refusesList(none, 0, abi.encodeWithSelector(IQuorumSigner.KeyCountOutOfRange.selector, 0));
        address[] memory many = addressesOf(sortedKeys(17));
        refusesList(many, 2, abi.encodeWithSelector(IQuorumSigner.KeyCountOutOfRange.selector, 17));
        uint256[] memory most = sortedKeys(16);
        QuorumSigner other = quorumOf(addressesOf(most), 16);
        vm.assertEq(other.getOwners().length, 16, "keys");
        isValid(other, signedBy(most, 0xffff));
        uint256[] memory one = sortedKeys(1);
        QuorumSigner single = quorumOf(addressesOf(one), 1);
        isValid(single, signedBy(one, 1));
    }

    function test_its_threshold_is_1_to_all_keys() external {
        address[] memory three = addressesOf(keys);
        refusesList(three, 0, abi.encodeWithSelector(IQuorumSigner.ThresholdOutOfRange.selector, 0, 3));
        refusesList(three, 4, abi.encodeWithSelector(IQuorumSigner.ThresholdOutOfRange.selector, 4, 3));
        vm.assertEq(quorumOf(three, 1).getThreshold(), 1, "one");
        vm.assertEq(quorumOf(three, 3).getThreshold(), 3, "all");
    }

    function test_its_keys_are_different_in_ascending_order_and_not_zero() external {
        address[] memory list = addressesOf(keys);
        (list[0], list[1]) = (list[1], list[0]);
        refusesList(list, 2, abi.encodeWithSelector(IQuorumSigner.KeysNotAscending.selector, 1));
        list = addressesOf(keys);
        list[2] = list[1];
        refusesList(list, 2, abi.encodeWithSelector(IQuorumSigner.KeysNotAscending.selector, 2));
        list = addressesOf(keys);
        list[0] = address(0);
        refusesList(list, 2, abi.encodeWithSelector(IQuorumSigner.KeysNotAscending.selector, 0));
    }

    // Its signature.

    function test_a_signature_is_of_exactly_as_many_keys_in_ascending_order() external view {
        isInvalid("");
        isInvalid(signedBy(keys, 1));
        isInvalid(signedBy(keys, 7));
        isInvalid(bytes.concat(sign(keys[1], DIGEST), sign(keys[0], DIGEST)));
        isInvalid(bytes.concat(sign(keys[2], DIGEST), sign(keys[0], DIGEST)));
        isInvalid(bytes.concat(signedBy(keys, 3), hex"00"));
        bytes memory short = signedBy(keys, 3);
        assembly ("memory-safe") {
            mstore(short, 129)
        }
        isInvalid(short);
    }

    function test_a_malformed_signature_is_not_a_revert() external view {
        isInvalid(new bytes(130));
        bytes memory full = new bytes(130);
        for (uint256 i = 0; i < 130; ++i) {
            full[i] = 0xff;
        }
        isInvalid(full);
        isInvalid(new bytes(65_000));
        bytes memory other = signedBy(keys, 3);
        other[129] = 0x1d;
        isInvalid(other);
    }

    /// @dev Its s is above half the order: the same key made it, and it counts no more than as that key.
    function test_the_mirrored_signature_of_a_key_counts_for_nothing() external view {
        isInvalid(bytes.concat(sign(keys[0], DIGEST), mirrored(sign(keys[1], DIGEST))));
        isInvalid(bytes.concat(mirrored(sign(keys[0], DIGEST)), sign(keys[1], DIGEST)));
    }

    /// @dev For each list, threshold and choice of signers: valid if as many as the threshold signed, and not otherwise.
    function testFuzz_as_many_keys_as_the_threshold_sign(uint8 countSeed, uint8 thresholdSeed, uint16 chosen) external {
        uint256 count = 1 + countSeed % 16;
        uint256 threshold = 1 + thresholdSeed % count;
        uint256[] memory list = sortedKeys(count);
        QuorumSigner other = quorumOf(addressesOf(list), threshold);
        chosen = uint16(chosen & ((1 << count) - 1));
        bytes memory signature = signedBy(list, chosen);
        bool isEnough = signature.length == threshold * 65;
        vm.assertEq(
            bytes32(other.isValidSignature(DIGEST, signature)),
            bytes32(isEnough ? other.isValidSignature.selector : INVALID),
            "by as many"
        );
    }

    /// @dev A byte that is changed, left out or added.
    function testFuzz_a_changed_signature_counts_for_nothing(uint8 seed, uint8 other, bytes32 digest) external view {
        bytes memory signature = signedBy(keys, 5);
        isValid(signers, signature);
        uint256 place = seed % 130;
        if (uint8(signature[place]) != other) {
            signature[place] = bytes1(other);
            isInvalid(signature);
        }
        if (digest != DIGEST) {
            vm.assertEq(bytes32(signers.isValidSignature(digest, signedBy(keys, 5))), bytes32(INVALID), "digest");
        }
    }

    function testFuzz_no_bytes_of_others_count_and_none_revert(bytes calldata signature) external view {
        isInvalid(signature);
        isInvalid(bytes.concat(signature, new bytes(130 - signature.length % 130)));
    }

    function isValid(QuorumSigner quorum, bytes memory signature) private view {
        bytes4 answer = quorum.isValidSignature(DIGEST, signature);
        vm.assertEq(bytes32(answer), bytes32(quorum.isValidSignature.selector), "the magic value");
    }

    function isInvalid(bytes memory signature) private view {
        vm.assertEq(bytes32(signers.isValidSignature(DIGEST, signature)), bytes32(INVALID), "not the magic value");
    }

    function refusesList(address[] memory list, uint256 threshold, bytes memory reason) private {
        bytes memory code = codeOf("QuorumSigner");
        vm.expectRevert(reason);
        this.createExternally(code, abi.encode(list, threshold));
    }

    function createExternally(bytes memory code, bytes memory args) external {
        create(code, args);
    }

    function isRefused(bytes memory signature) private {
        isRefused(59, signature);
    }

    function isRefused(uint16 resolutionBps, bytes memory signature) private {
        try core.settleWithAttestation(callId, resolutionBps, EXPIRY, signature) {
            vm.assertTrue(false, "settled");
        } catch (bytes memory reason) {
            vm.assertEq(bytes32(bytes4(reason)), bytes32(IServiceCore.AttestationSignerInvalid.selector), "reason");
        }
    }

    function isKey(address account) private view returns (bool) {
        for (uint256 i = 0; i < keys.length; ++i) {
            if (vm.addr(keys[i]) == account) return true;
        }
        return false;
    }

    function attestedBy(uint256 first, uint256 second) private view returns (bytes memory) {
        bytes32 digest = core.hashAttestation(callId, 59, EXPIRY);
        return bytes.concat(sign(first, digest), sign(second, digest));
    }

    /// @dev Signatures of the digest by the keys whose bits are set, in their order.
    function signedBy(uint256[] memory list, uint16 chosen) private pure returns (bytes memory signature) {
        for (uint256 i = 0; i < list.length; ++i) {
            if (chosen >> i & 1 == 1) signature = bytes.concat(signature, sign(list[i], DIGEST));
        }
    }

    /// @dev The other signature that the same key makes of a digest.
    function mirrored(bytes memory signature) private pure returns (bytes memory) {
        bytes32 r;
        uint256 s;
        assembly ("memory-safe") {
            r := mload(add(signature, 32))
            s := mload(add(signature, 64))
        }
        return abi.encodePacked(r, N - s, uint8(signature[64]) == 27 ? uint8(28) : uint8(27));
    }

    function quorumOf(address[] memory list, uint256 threshold) private returns (QuorumSigner) {
        return QuorumSigner(create(codeOf("QuorumSigner"), abi.encode(list, threshold)));
    }

    function addressesOf(uint256[] memory list) private pure returns (address[] memory addresses) {
        addresses = new address[](list.length);
        for (uint256 i = 0; i < list.length; ++i) {
            addresses[i] = vm.addr(list[i]);
        }
    }

    /// @dev Keys 1 to `count`, in ascending order of their addresses.
    function sortedKeys(uint256 count) private pure returns (uint256[] memory list) {
        list = new uint256[](count);
        for (uint256 key = 1; key <= count; ++key) {
            uint256 place = key - 1;
            for (; place > 0 && vm.addr(list[place - 1]) > vm.addr(key); --place) {
                list[place] = list[place - 1];
            }
            list[place] = key;
        }
    }
}
