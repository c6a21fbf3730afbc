// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceRFQSettlement} from "../../src/IServiceRFQSettlement.sol";
import {ServiceCore} from "../../src/ServiceCore.sol";
import {ServiceRFQSettlement} from "../../src/ServiceRFQSettlement.sol";
import {World} from "../support/World.sol";

/// @title The contracts against the relay's own TypeScript (src/domain), number by number
/// @notice contracts/scripts/vectors.mjs writes the vectors; `VECTORS` names their file.
contract DifferentialTest is World {
    struct Vector {
        IServiceRFQSettlement.Order order;
        uint256 chainId;
        address verifyingContract;
        bytes32 orderDigest;
        uint16 resolutionBps;
        bytes32 attestationDigest;
        bytes32 conditionId;
        uint256 yesClobTokenId;
        uint16 strikeBps;
        uint64 expiry;
        uint8 optionType;
        uint256 seriesId;
        uint256 maxPayoff;
        uint256 payoff;
        uint256 collateral;
    }

    string private file;
    uint256 private created;

    function setUp() public override {
        super.setUp();
        file = vm.envOr("VECTORS", string("contracts/cache/vectors.txt"));
    }

    function test_digests_and_series_ids_are_the_relays_on_any_chain_and_at_any_address() external {
        bytes memory settlementCode = address(settlement).code;
        bytes memory coreCode = address(core).code;
        uint256 count;
        while (this.compareDigests(settlementCode, coreCode)) ++count;
        vm.assertTrue(count >= 1000, "at least a thousand vectors");
    }

    function test_collateral_and_payoffs_are_the_relays() external {
        uint256 count;
        while (this.comparePayoffs()) ++count;
        vm.assertTrue(count >= 1000, "at least a thousand vectors");
    }

    /// @dev External, as the next one, so that the memory of one vector is gone before the next.
    function compareDigests(bytes calldata settlementCode, bytes calldata coreCode) external returns (bool found) {
        Vector memory v;
        (found, v) = nextVector();
        if (!found) return false;
        vm.chainId(v.chainId);
        vm.etch(v.verifyingContract, settlementCode);
        bytes32 digest = ServiceRFQSettlement(v.verifyingContract).hashOrder(v.order);
        vm.assertEq(digest, v.orderDigest, "digest of the order");
        vm.etch(v.verifyingContract, coreCode);
        digest = ServiceCore(v.verifyingContract).hashAttestation(v.seriesId, v.resolutionBps, v.order.validUntil);
        vm.assertEq(digest, v.attestationDigest, "digest of the attestation");
        uint256 id = core.seriesIdOf(v.conditionId, v.yesClobTokenId, v.strikeBps, v.expiry, v.optionType);
        vm.assertEq(id, v.seriesId, "seriesId");
    }

    function comparePayoffs() external returns (bool found) {
        Vector memory v;
        (found, v) = nextVector();
        if (!found) return false;
        uint256 id = settledSeries(v);
        vm.assertEq(core.maxPayoff(id), v.maxPayoff, "most");
        vm.assertEq(core.requiredCollateral(id, v.order.optionAmount), v.collateral, "collateral");
        vm.assertEq(core.payoff(id), v.payoff, "payoff");
    }

    function nextVector() private view returns (bool found, Vector memory vector) {
        string memory line = vm.readLine(file);
        if (bytes(line).length > 0) return (true, abi.decode(vm.parseBytes(line), (Vector)));
    }

    /// @dev A series of the vector's terms, but for a condition of its own and an expiry that is just ahead.
    function settledSeries(Vector memory v) private returns (uint256 id) {
        uint64 expiry = uint64(block.timestamp + 1);
        vm.prank(owner);
        id = core.createSeries(bytes32(++created), 0, v.strikeBps, expiry, v.optionType);
        vm.warp(expiry);
        core.settleWithAttestation(id, v.resolutionBps, expiry, attestation(id, v.resolutionBps, expiry));
    }
}
