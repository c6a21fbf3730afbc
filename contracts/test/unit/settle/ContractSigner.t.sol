// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRoles} from "../../../src/IRoles.sol";
import {IServiceCore} from "../../../src/IServiceCore.sol";
import {World} from "../../support/World.sol";
import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";

/// @title ContractSignerTest
/// @notice A contract of three keys is the resolution signer, and two of them attest.
contract ContractSignerTest is World {
    TwoOfThree private signers;

    function setUp() public override {
        super.setUp();
        signers = new TwoOfThree([vm.addr(1), vm.addr(2), vm.addr(3)]);
        vm.prank(owner);
        core.proposeRole(IRoles.Role.ResolutionSigner, address(signers));
        vm.warp(START + 3 days);
        signers.accept(core);
        vm.warp(EXPIRY);
    }

    function test_two_of_its_keys_attest_together() external {
        core.settleWithAttestation(callId, 59, EXPIRY, signedBy(1, 3));
        vm.assertEq(seriesOf(callId).resolutionBps, 59, "price");
    }

    function test_one_of_its_keys_does_not() external {
        refuses(signedBy(2, 2));
        refuses(sign(1, core.hashAttestation(callId, 59, EXPIRY)));
    }

    function test_the_former_signers_key_does_not() external {
        refuses(attestation(callId, 59, EXPIRY));
    }

    function signedBy(uint256 first, uint256 second) private view returns (bytes memory) {
        bytes32 digest = core.hashAttestation(callId, 59, EXPIRY);
        return bytes.concat(sign(first, digest), sign(second, digest));
    }

    function refuses(bytes memory signature) private {
        try core.settleWithAttestation(callId, 59, EXPIRY, signature) {
            vm.assertTrue(false, "settled");
        } catch (bytes memory reason) {
            vm.assertEq(bytes32(bytes4(reason)), bytes32(IServiceCore.AttestationSignerInvalid.selector), "reason");
        }
    }
}

/// @title TwoOfThree
/// @notice Two of three keys sign for this ERC-1271 contract.
contract TwoOfThree is IERC1271 {
    mapping(address => bool) private isKey;

    constructor(address[3] memory keys) {
        for (uint256 i = 0; i < 3; ++i) {
            isKey[keys[i]] = true;
        }
    }

    /// @dev It takes the role that it is proposed for; the gas bench calls this too.
    function accept(IRoles core) external {
        core.confirmRole(IRoles.Role.ResolutionSigner);
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        if (signature.length != 130) return 0xffffffff;
        (address first, address second) = (recover(digest, signature[:65]), recover(digest, signature[65:]));
        return isKey[first] && isKey[second] && first != second ? this.isValidSignature.selector : bytes4(0xffffffff);
    }

    function recover(bytes32 digest, bytes calldata s) private pure returns (address) {
        return ecrecover(digest, uint8(s[64]), bytes32(s[:32]), bytes32(s[32:64]));
    }
}
