// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {World} from "../support/World.sol";

/// @title CallsTest
/// @notice The ABI is written out here, apart from the source, and must not change. abi.txt has arguments, results, events and
/// errors too; test/contracts/pin.test.ts compares it.
contract CallsTest is World {
    bytes32 private constant ORDER = 0x1cf6a02a54e0f0dd91366bf8bd5ba3601296ab831afac2ba447ccade853a6bbc;
    bytes32 private constant ATTESTATION = 0x0e9085255ba2b847122246107e48b66adf38263746e1a8b8b18da95e7d1f824f;
    bytes4 private constant INTERFACE = 0xc27c8807;
    bytes32 private constant DOMAIN = 0x8b73c3c69bb8fe3d512ecc4cf759cc79239f7b179b0ffacaa9a75d522b39400f;

    bytes4[62] private coreCalls = [
        bytes4(0xf585dc57), // DISPUTE_WINDOW
        0xde49b314, // TRADING_CUTOFF
        0x00fdd58e, // balanceOf
        0x4e1273f4, // balanceOfBatch
        0x936f67fa, // claimAllFor
        0x49fddb6e, // claimHolderPayout
        0x10986f5c, // claimHolderPayoutTo
        0x7c20d5be, // claimMany
        0x4b3a5293, // claimWriterCollateral
        0x38900beb, // claimWriterCollateralTo
        0xfed72099, // closeFor
        0x62617a42, // closePosition
        0x5bd9e299, // conditionalTokens
        0xad6a5796, // confirmRole
        0x69438af4, // createPackage
        0x34e0fc24, // createSeries
        0x689df56e, // defaultCap
        0x84b0196e, // eip712Domain
        0x871178a2, // executeManual
        0xd456e24f, // exposureOf
        0x1160da15, // getSeries
        0x822b93e0, // hashAttestation
        0x86d55a79, // hashShortTransfer
        0x6e0a49b7, // holderOf
        0xe985e9c5, // isApprovedForAll
        0xd0107bf9, // lastResortAt
        0x85c7604e, // legsOf
        0x7d8ce867, // manualProposalOf
        0x56043441, // maxPayoff
        0xe434a1dc, // moveShort
        0x7ecebe00, // nonces
        0x19a3a91d, // openPositionPaidBy
        0x8da5cb5b, // owner
        0x7fa084a2, // payoff
        0x7ba2c7cb, // pendingRole
        0x804f8555, // proposeManual
        0xbb9e2543, // proposeRole
        0xfea39d0c, // removeFromRole
        0x50524422, // requiredCollateral
        0xe2d5cd5d, // resolutionSigner
        0x2eb2c2d6, // safeBatchTransferFrom
        0xf242432a, // safeTransferFrom
        0xa2e171ce, // sellLongs
        0xe69a5968, // seriesIdOf
        0xa22cb465, // setApprovalForAll
        0x21cdb22b, // setDefaultCap
        0xd7c4053c, // setHalted
        0xf2e12a39, // setRole
        0xfd20edaa, // settleFromCondition
        0x5355037d, // settleWithAttestation
        0x51160630, // settlement
        0xde33b2b0, // shortOf
        0xdc3897d1, // signerTerm
        0xb93c4aed, // signerVacantSince
        0xe9cbd822, // stablecoin
        0x01ffc9a7, // supportsInterface
        0x31055155, // termRevokedAt
        0x0e89341c, // uri
        0x69615a4c, // useNonce
        0xcdd32229, // vetoManual
        0x6a96e5f3, // vetoSeries
        0xd2219e6e // wasSignerRevoked
    ];

    bytes4[25] private settlementCalls = [
        bytes4(0x82ec14f1), // authorizeSigner
        0xcfdd7aea, // cancelNonce
        0xcce85bdc, // cancelNonceRange
        0xd3bc6e5a, // cancelNonces
        0xb91dfea6, // checkOrder
        0xf2f4eb26, // core
        0x84b0196e, // eip712Domain
        0x72cc551a, // fill
        0x58770ee4, // fillBatch
        0x81fcc1b6, // fillFor
        0xbe5b4901, // fillFromInventory
        0xd16bb426, // fillMany
        0xfa09ccef, // fillOne
        0x121b4cd6, // fillWithPartnerFee
        0xce54aeaf, // fillWithPayment
        0x1350a53f, // fillWithPermit
        0x9b45147f, // hashFillAuthorization
        0x826baba4, // hashOrder
        0xcab7e8eb, // isNonceUsed
        0x432930e9, // revokeAllSigners
        0xc34b44a0, // revokeSigner
        0xc425f79d, // signedUntil
        0x28b9c4ec, // signerEpoch
        0xc24b1701, // signerUntil
        0xe9cbd822 // stablecoin
    ];

    function test_every_call_is_there_and_none_takes_ether() external {
        vm.deal(address(this), 1 ether);
        for (uint256 i = 0; i < coreCalls.length; ++i) {
            answersAndTakesNoEther(address(core), coreCalls[i]);
        }
        for (uint256 i = 0; i < settlementCalls.length; ++i) {
            answersAndTakesNoEther(address(settlement), settlementCalls[i]);
        }
    }

    function test_ether_and_unknown_calls_are_refused() external {
        vm.deal(address(this), 1 ether);
        address[2] memory contracts = [address(core), address(settlement)];
        for (uint256 i = 0; i < 2; ++i) {
            refuses(contracts[i], 1, "");
            refuses(contracts[i], 0, "");
            refuses(contracts[i], 0, hex"00000000");
            refuses(contracts[i], 1, hex"ffffffff");
        }
    }

    function test_the_core_is_known_by_its_erc_165_id() external view {
        vm.assertTrue(core.supportsInterface(INTERFACE), "the core");
        vm.assertTrue(core.supportsInterface(0xd9b67a26), "ERC-1155");
        vm.assertTrue(core.supportsInterface(0x0e89341c), "ERC-1155 metadata");
        vm.assertTrue(core.supportsInterface(0x01ffc9a7), "ERC-165");
    }

    function test_the_core_claims_no_other_interface() external view {
        vm.assertTrue(!core.supportsInterface(0xffffffff), "none");
        vm.assertTrue(!core.supportsInterface(0x80ac58cd), "ERC-721");
        vm.assertTrue(!core.supportsInterface(0x2a55205a), "royalties");
        vm.assertTrue(!core.supportsInterface(0), "zero");
    }

    function test_signed_types_and_domains_are_pinned() external view {
        bytes32 order = keccak256(abi.encode(ORDER, someOrder()));
        vm.assertEq(
            settlement.hashOrder(someOrder()), digest("ServiceRFQSettlement", address(settlement), order), "order"
        );
        bytes32 attestation = keccak256(abi.encode(ATTESTATION, callId, 59, EXPIRY));
        vm.assertEq(
            core.hashAttestation(callId, 59, EXPIRY), digest("ServiceCore", address(core), attestation), "price"
        );
    }

    /// @dev All-zero arguments are well formed for every call here: it has a result or a reason for refusing. A call that
    /// does not exist, or is sent ether that it does not take, is refused without one.
    function answersAndTakesNoEther(address target, bytes4 selector) private {
        bytes memory zeros = bytes.concat(selector, new bytes(1024));
        uint256 state = vm.snapshotState();
        (bool passed, bytes memory reason) = target.call(zeros);
        vm.assertTrue(passed || reason.length > 0, vm.toString(bytes32(selector)));
        vm.revertToState(state);
        refuses(target, 1, zeros);
    }

    function refuses(address target, uint256 ether_, bytes memory data) private {
        (bool passed, bytes memory reason) = target.call{value: ether_}(data);
        vm.assertTrue(!passed && reason.length == 0, vm.toString(bytes32(bytes4(data))));
    }

    function digest(string memory name, address verifier, bytes32 structHash) private view returns (bytes32) {
        bytes32 separator =
            keccak256(abi.encode(DOMAIN, keccak256(bytes(name)), keccak256("1"), block.chainid, verifier));
        return keccak256(abi.encodePacked("\x19\x01", separator, structHash));
    }
}
