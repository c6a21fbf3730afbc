// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title The counter: turns a maker's signed order into a trade, all or nothing
/// @notice Holds no funds, ever. Premiums pass from buyer to seller directly; collateral passes from writer to core.
interface IServiceRFQSettlement {
    /// @notice A maker's signed offer to one taker, EIP-712 domain `ServiceRFQSettlement`, version `1`.
    /// @param maker Wallet whose signature it carries: a key's (ECDSA) or a contract's (ERC-1271).
    /// @param seriesId Series of the core, also the ERC-1155 id.
    /// @param optionAmount Whole options.
    /// @param premiumAmount Micro-dollars for the whole amount, at most the collateral.
    /// @param makerSelling true: the maker writes and the taker buys; false: the taker writes and the maker buys.
    /// @param taker The only wallet that can fill it.
    /// @param validUntil Last second at which it can be filled.
    /// @param nonce Per maker, used once. Numbers that differ only in the low 8 bits share a storage word.
    struct Order {
        address maker;
        uint256 seriesId;
        uint256 optionAmount;
        uint256 premiumAmount;
        bool makerSelling;
        address taker;
        uint256 validUntil;
        uint256 nonce;
    }

    /// @notice An EIP-2612 approval by the taker to the one spender its side needs: this contract when it buys, the
    /// core when it writes.
    struct Permit {
        uint256 value;
        uint256 deadline;
        uint8 v;
        bytes32 r;
        bytes32 s;
    }

    /// @notice What `checkOrder` found, first fault first. The maker's funds come before the signature, so that an
    /// order not yet signed can be asked about: `SignatureInvalid` then means that all before it is in order.
    enum OrderStatus {
        Fillable,
        Expired,
        AmountZero,
        SelfTrade,
        NonceUsed,
        SeriesUnknown,
        SeriesSettled,
        SeriesExpired,
        SeriesHalted,
        AmountTooLarge,
        PremiumAboveCollateral,
        MakerBalanceLow,
        MakerAllowanceLow,
        SignatureInvalid,
        TakerBalanceLow,
        TakerAllowanceLow
    }

    /// @notice An order was traded: the core's `OptionsWritten` says how many options were written for it, its `TransferSingle`
    /// from seller to buyer how many came from the seller's inventory.
    event OrderFilled(
        address indexed maker,
        address indexed taker,
        uint256 indexed seriesId,
        uint256 optionAmount,
        uint256 premiumAmount,
        bool makerSelling,
        uint256 nonce
    );
    /// @notice A maker made one of its unused nonces unusable.
    event NonceCancelled(address indexed maker, uint256 nonce);
    /// @notice `mask` holds the nonces `wordPos` x 256 + bit that were unused until now.
    event NoncesCancelled(address indexed maker, uint256 wordPos, uint256 mask);

    /// @notice The core was deployed for another settlement contract.
    error CoreDoesNotPointBack(address core, address settlement);
    /// @notice Only the order's taker can fill it.
    error NotTaker(address caller, address taker);
    /// @notice The order's last second has passed.
    error OrderExpired(uint256 validUntil, uint256 timestamp);
    /// @notice Nothing is no amount.
    error AmountZero();
    /// @notice A maker is not its own taker.
    error SelfTrade(address account);
    /// @notice Neither the maker's key nor, for a contract, its ERC-1271 check signed this digest.
    error SignatureInvalid(address maker, bytes32 digest);
    /// @notice The nonce was filled or cancelled before.
    error NonceUsed(address maker, uint256 nonce);
    /// @notice No option is worth more than its collateral.
    error PremiumAboveCollateral(uint256 premiumAmount, uint256 collateral);
    /// @notice No more options come from inventory than are sold.
    error InventoryAboveAmount(uint256 fromInventory, uint256 optionAmount);
    /// @notice The taker closes no more options by a fill than it buys by it.
    error CloseAboveBought(uint256 closeAfter, uint256 bought);
    /// @notice A batch holds at least one order.
    error BatchEmpty();
    /// @notice A batch holds one signature an order.
    error BatchLengthMismatch(uint256 orders, uint256 signatures);
    /// @notice Only this contract calls this.
    error NotSelf(address caller);
    /// @notice There is not enough gas for the next order to have its share.
    error GasTooLow(uint256 gasLeft, uint256 gasNeeded);
    /// @notice A range of nonces ends where it starts or after it.
    error NonceRangeEmpty(uint256 first, uint256 last);

    /// @notice The vault that locks collateral and mints options.
    function core() external view returns (address);

    /// @notice The core's stablecoin.
    function stablecoin() external view returns (address);

    /// @notice Trades a signed order: pays the premium, locks the collateral, mints the options. Order's taker only.
    /// Before it the buyer has approved this contract for the premium, the writer the core for the collateral.
    function fill(Order calldata order, bytes calldata makerSignature) external;

    /// @notice `fill` with the taker's approval in the same transaction. A permit that was already used (front-run) or
    /// is otherwise refused is ignored: the fill then stands or falls by the allowance there is.
    function fillWithPermit(Order calldata order, bytes calldata makerSignature, Permit calldata permit) external;

    /// @notice Fills orders of one taker in turn, all or none.
    function fillBatch(Order[] calldata orders, bytes[] calldata makerSignatures) external;

    /// @notice Fills those orders of the caller that can be filled, in turn. Each has at most 600,000 gas, so that no maker
    /// can use up what the others need; with less than that left the call reverts, since an order would then fail by gas.
    /// @return filled For each order whether it was filled.
    function fillMany(Order[] calldata orders, bytes[] calldata makerSignatures) external returns (bool[] memory filled);

    /// @notice One fill of `fillMany`. This contract only.
    function fillOne(Order calldata order, bytes calldata makerSignature, address taker) external;

    /// @notice `fill`, where the seller passes on options that it holds and writes only the rest, and the taker closes what
    /// it had written. The seller has approved this contract for its options (ERC-1155 `setApprovalForAll`).
    /// @param fromInventory Of the order's options, those that the seller holds and passes on.
    /// @param closeAfter Of the options that the taker buys, those that are burned against as many that it has written; their
    /// collateral is paid to the taker. 0 where the taker sells.
    function fillFromInventory(
        Order calldata order,
        bytes calldata makerSignature,
        uint256 fromInventory,
        uint256 closeAfter
    ) external;

    /// @notice Makes one nonce of the caller unusable, also of an order already confirmed but not yet mined.
    function cancelNonce(uint256 nonce) external;

    /// @notice Makes the nonces `wordPos` x 256 + bit of the caller unusable, for each bit of `mask`; used ones stay used.
    function cancelNonces(uint256 wordPos, uint256 mask) external;

    /// @notice Makes the nonces `first` to `last` of the caller unusable, both included; 256 of them share a storage word.
    function cancelNonceRange(uint256 first, uint256 last) external;

    /// @notice Whether a maker's nonce was filled or cancelled.
    function isNonceUsed(address maker, uint256 nonce) external view returns (bool);

    /// @notice The EIP-712 digest that the maker signs.
    function hashOrder(Order calldata order) external view returns (bytes32 digest);

    /// @notice Everything that `fill` would check, in one call and without reverting, by the order's taker, now.
    /// Funds are judged as the relay does: the writer must hold the whole collateral, although the premium it is about
    /// to receive could pay for a part. A receiver's ERC-1155 hook is not tried.
    /// @return status The first fault, or `Fillable`.
    /// @return makerShortfall Micro-dollars that the maker lacks, in balance or in allowance, whichever is less.
    /// @return takerShortfall The same for the taker.
    /// @return spender Whom the taker approves.
    function checkOrder(Order calldata order, bytes calldata makerSignature)
        external
        view
        returns (OrderStatus status, uint256 makerShortfall, uint256 takerShortfall, address spender);
}
