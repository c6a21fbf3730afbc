// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceRFQSettlement} from "../../src/IServiceRFQSettlement.sol";
import {ServiceCore} from "../../src/ServiceCore.sol";
import {ServiceRFQSettlement} from "../../src/ServiceRFQSettlement.sol";
import {World} from "../support/World.sol";

/// @title DifferentialTest
/// @notice The contracts agree with the relay's own TypeScript (src/protocol/domain) on every vector. contracts/scripts/vectors.mjs
/// writes the vectors; `VECTORS` and `PACKAGE_VECTORS` name their files.
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

    struct PackageVector {
        bytes32 conditionId;
        uint256 yesClobTokenId;
        uint256 legs;
        uint64 expiry;
        uint256 seriesId;
        int256 floor;
        uint256 maxPayoff;
        uint256 amount;
        uint256 collateral;
        uint16 resolutionBps;
        uint256 payoff;
    }

    string private file;
    string private packageFile;
    uint256 private created;

    function setUp() public override {
        super.setUp();
        file = vm.envOr("VECTORS", string("contracts/cache/vectors.txt"));
        packageFile = vm.envOr("PACKAGE_VECTORS", string("contracts/cache/package-vectors.txt"));
    }

    function test_digests_and_ids_are_the_relays_on_any_chain() external {
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

    function test_ids_collateral_and_payoffs_of_packages_are_the_relays() external {
        uint256 count;
        while (this.comparePackages()) ++count;
        vm.assertTrue(count >= 1000, "at least a thousand packages");
    }

    /// @dev External, as the next two, so that the memory of one vector is gone before the next.
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

    /// @dev The package of the vector's own terms, a second before it expires.
    function comparePackages() external returns (bool found) {
        string memory line = vm.readLine(packageFile);
        if (bytes(line).length == 0) return false;
        PackageVector memory v = abi.decode(vm.parseBytes(line), (PackageVector));
        vm.warp(v.expiry - 1);
        for (uint256 rest = v.legs; rest != 0; rest >>= 32) {
            vm.prank(owner);
            core.createSeries(v.conditionId, v.yesClobTokenId, address(0), uint16(rest), v.expiry, uint8(rest >> 16));
        }
        uint256 id = core.createPackage(v.conditionId, v.yesClobTokenId, v.expiry, v.legs);
        vm.assertEq(id, v.seriesId, "seriesId");
        (uint256 legs, int256 floor) = core.legsOf(id);
        vm.assertEq(legs, v.legs, "legs");
        vm.assertTrue(floor == v.floor, "floor");
        vm.assertEq(core.maxPayoff(id), v.maxPayoff, "most");
        vm.assertEq(core.requiredCollateral(id, v.amount), v.collateral, "collateral");
        vm.warp(v.expiry);
        core.settleWithAttestation(id, v.resolutionBps, v.expiry, attestation(id, v.resolutionBps, v.expiry));
        vm.assertEq(core.payoff(id), v.payoff, "payoff");
        return true;
    }

    function nextVector() private view returns (bool found, Vector memory vector) {
        string memory line = vm.readLine(file);
        if (bytes(line).length > 0) return (true, abi.decode(vm.parseBytes(line), (Vector)));
    }

    /// @dev A series of the vector's terms, but for a condition of its own and an expiry that is just ahead.
    function settledSeries(Vector memory v) private returns (uint256 id) {
        uint64 expiry = uint64(block.timestamp + 1);
        vm.prank(owner);
        id = core.createSeries(bytes32(++created), 0, address(0), v.strikeBps, expiry, v.optionType);
        vm.warp(expiry);
        core.settleWithAttestation(id, v.resolutionBps, expiry, attestation(id, v.resolutionBps, expiry));
    }
}
