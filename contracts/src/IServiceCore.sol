// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title The vault: collateral in, options out, and back
/// @notice Holds the collateral of every option, issues the holder's side as ERC-1155 (id = seriesId, no decimals) and
/// keeps the writer's side as a plain mapping. Amounts are whole options; money is in micro-dollars of the stablecoin.
interface IServiceCore {
    /// @notice A series, packed in one storage word.
    /// @param expiry Unix seconds; writing stops and settling starts at this second.
    /// @param strikeBps Strike in ten-thousandths of $1, 1..9999.
    /// @param optionType 0 call, 1 put.
    /// @param resolutionBps Price in hundredths of $1, 0..100; meaningful once `settled`.
    /// @param settled Whether the price is final.
    /// @param halted Whether new writes are stopped; exits never are.
    /// @param openInterest Options outstanding; frozen at settlement.
    struct Series {
        uint64 expiry;
        uint16 strikeBps;
        uint8 optionType;
        uint8 resolutionBps;
        bool settled;
        bool halted;
        uint128 openInterest;
    }

    /// @notice An announced resolution by the owner.
    /// @param executableAt Unix seconds from which it may be executed; 0 when there is none.
    /// @param resolutionBps Price in hundredths of $1.
    struct ManualProposal {
        uint64 executableAt;
        uint16 resolutionBps;
    }

    /// @notice A series was registered; its terms never change.
    event SeriesCreated(
        uint256 indexed seriesId,
        bytes32 indexed conditionId,
        uint256 yesClobTokenId,
        uint16 strikeBps,
        uint64 expiry,
        uint8 optionType
    );
    /// @notice New writes of a series were stopped or resumed.
    event SeriesHaltChanged(uint256 indexed seriesId, bool halted);
    /// @notice The price of a series became final, by attestation or by hand.
    event SeriesSettled(uint256 indexed seriesId, uint16 resolutionBps);
    /// @notice The owner announced a price; it counts from `executableAt` (Unix seconds) unless the signer's comes first.
    event ManualResolutionProposed(uint256 indexed seriesId, uint16 resolutionBps, uint64 executableAt);
    /// @notice The announced price became final; `SeriesSettled` came with it.
    event ManualResolutionExecuted(uint256 indexed seriesId, uint16 resolutionBps);
    /// @notice Options came into being: `collateral` micro-dollars were locked for them.
    event OptionsWritten(
        uint256 indexed seriesId, address indexed writer, address indexed holder, uint256 amount, uint256 collateral
    );
    /// @notice A holder burned longs of a settled series for `payout` micro-dollars.
    event HolderPayoutClaimed(
        uint256 indexed seriesId, address indexed holder, address to, uint256 amount, uint256 payout
    );
    /// @notice A writer ended its short of `amount` options and got `collateral` micro-dollars back.
    event WriterCollateralClaimed(
        uint256 indexed seriesId, address indexed writer, address to, uint256 amount, uint256 collateral
    );
    /// @notice An account burned as many longs as shorts and got `collateral` micro-dollars back.
    event PositionClosed(
        uint256 indexed seriesId, address indexed account, address to, uint256 amount, uint256 collateral
    );
    /// @notice A signer was announced; it may take office from `acceptableAt` (Unix seconds).
    event ResolutionSignerProposed(address indexed signer, uint64 acceptableAt);
    /// @notice A signer took office; `previous` is zero for the first one and after a revocation.
    event ResolutionSignerChanged(address indexed previous, address indexed signer);
    /// @notice A signer, in office or announced, was removed.
    event ResolutionSignerRevoked(address indexed signer);

    /// @notice The stablecoin does not have the 6 decimals that micro-dollars stand on.
    error StablecoinDecimalsInvalid(address stablecoin, uint8 decimals);
    /// @notice A constructor argument that must not be the zero address is.
    error AddressZero();
    /// @notice Strikes are 1..9999: at 0 or 10000 one side could never be paid.
    error StrikeOutOfRange(uint16 strikeBps);
    /// @notice Expiries lie after now and at most 100 years ahead, so that milliseconds given for seconds are refused.
    error ExpiryOutOfRange(uint64 expiry, uint256 timestamp);
    /// @notice Option types are 0 (call) and 1 (put).
    error OptionTypeInvalid(uint8 optionType);
    /// @notice A series is created once.
    error SeriesExists(uint256 seriesId);
    /// @notice No series of this id was ever created.
    error SeriesUnknown(uint256 seriesId);
    /// @notice New writes of this series are stopped for now.
    error SeriesHalted(uint256 seriesId);
    /// @notice Writing ended at `expiry` (Unix seconds).
    error SeriesExpired(uint256 seriesId, uint64 expiry);
    /// @notice Settling starts at `expiry` (Unix seconds).
    error SeriesNotExpired(uint256 seriesId, uint64 expiry);
    /// @notice A price is final once.
    error SeriesAlreadySettled(uint256 seriesId, uint16 resolutionBps);
    /// @notice There is no price yet.
    error SeriesNotSettled(uint256 seriesId);
    /// @notice Only the settlement contract writes options.
    error NotSettlement(address caller);
    /// @notice Nothing is no amount.
    error AmountZero();
    /// @notice Open interest is kept in 128 bits.
    error OpenInterestOverflow(uint256 seriesId, uint256 openInterest, uint256 amount);
    /// @notice The account has written fewer options than it wants to close.
    error ShortInsufficient(uint256 seriesId, address account, uint256 short, uint256 amount);
    /// @notice The writer has nothing left to claim in this series.
    error NothingWritten(uint256 seriesId, address writer);
    /// @notice Money sent to the zero address or to the core itself would be lost.
    error RecipientInvalid(address to);
    /// @notice Resolutions are 0..100 hundredths of $1.
    error ResolutionOutOfRange(uint16 resolutionBps);
    /// @notice The attestation's last second has passed.
    error AttestationExpired(uint256 validUntil, uint256 timestamp);
    /// @notice The attestation was not signed by the resolution signer; `recovered` is zero for a malformed signature.
    error AttestationSignerInvalid(address recovered, address resolutionSigner);
    /// @notice An announced step may not be taken before `earliest` (Unix seconds).
    error TooEarly(uint256 earliest, uint256 timestamp);
    /// @notice The owner has announced no price for this series.
    error ManualProposalMissing(uint256 seriesId);
    /// @notice No signer is announced.
    error PendingSignerMissing();
    /// @notice The address is neither the resolution signer nor the pending one.
    error SignerUnknown(address signer);
    /// @notice Without an owner a series whose signer is gone could never be resolved.
    error OwnershipNotRenounceable();

    /// @notice The 6-decimals stablecoin that collateral and payouts are in.
    function stablecoin() external view returns (address);

    /// @notice The only contract that may write options.
    function settlement() external view returns (address);

    /// @notice Registers a series. Owner only.
    /// @return seriesId `seriesIdOf` of the same arguments.
    function createSeries(
        bytes32 conditionId,
        uint256 yesClobTokenId,
        uint16 strikeBps,
        uint64 expiry,
        uint8 optionType
    ) external returns (uint256 seriesId);

    /// @notice Stops or resumes new writes of series. Owner only. Claims, closes and settlement stay open.
    function setHalted(uint256[] calldata seriesIds, bool halted) external;

    /// @notice Locks `amount` x `maxPayoff` of the writer's stablecoin, books the short and mints the longs, the mint
    /// (and with it the receiver's hook) last. Settlement contract only.
    /// @return collateral What was locked, in micro-dollars.
    function writeOptions(uint256 seriesId, address writer, address holder, uint256 amount)
        external
        returns (uint256 collateral);

    /// @notice Burns `amount` longs and as many shorts of the caller and returns their collateral to `to`; open before
    /// and after settlement, halted or not.
    function closePosition(uint256 seriesId, uint256 amount, address to) external returns (uint256 collateral);

    /// @notice Makes a price signed by the resolution signer final. Anyone, once, at or after expiry.
    /// @param validUntil Last second at which the attestation counts.
    function settleWithAttestation(uint256 seriesId, uint16 resolutionBps, uint256 validUntil, bytes calldata signature)
        external;

    /// @notice Announces a price for a series that nobody attested within 3 days after expiry; a new announcement
    /// replaces the old one and starts its notice anew. Owner only.
    function proposeManual(uint256 seriesId, uint16 resolutionBps) external;

    /// @notice Makes the announced price final, 24 hours after its announcement, unless an attestation came first.
    /// Owner only.
    function executeManual(uint256 seriesId) external;

    /// @notice Burns `amount` of the caller's longs of a settled series and pays `amount` x `payoff` to the caller.
    /// A payoff of zero burns and pays nothing.
    function claimHolderPayout(uint256 seriesId, uint256 amount) external returns (uint256 payout);

    /// @notice As `claimHolderPayout`, paid to `to`.
    function claimHolderPayoutTo(uint256 seriesId, uint256 amount, address to) external returns (uint256 payout);

    /// @notice Ends the caller's whole short of a settled series and returns short x (`maxPayoff` - `payoff`).
    function claimWriterCollateral(uint256 seriesId) external returns (uint256 collateral);

    /// @notice As `claimWriterCollateral`, paid to `to`.
    function claimWriterCollateralTo(uint256 seriesId, address to) external returns (uint256 collateral);

    /// @notice Announces a new resolution signer; it replaces a pending one. Owner only.
    function proposeResolutionSigner(address signer) external;

    /// @notice Puts the pending signer in office, 3 days after its announcement; attestations of the old one are void
    /// from then on. Owner only.
    function acceptResolutionSigner() external;

    /// @notice Removes a signer at once, in office or pending. Owner only.
    function revokeResolutionSigner(address signer) external;

    /// @notice The signer in office; zero after a revocation.
    function resolutionSigner() external view returns (address);

    /// @notice The announced signer and the Unix second from which it may be accepted; zeros when there is none.
    function pendingResolutionSigner() external view returns (address signer, uint64 acceptableAt);

    /// @notice uint256(keccak256(abi.encode(...))) of the five arguments.
    function seriesIdOf(bytes32 conditionId, uint256 yesClobTokenId, uint16 strikeBps, uint64 expiry, uint8 optionType)
        external
        pure
        returns (uint256 seriesId);

    /// @notice Reverts with `SeriesUnknown` for an id that was never created, as every view below does.
    function getSeries(uint256 seriesId) external view returns (Series memory);

    /// @notice The most one option of the series can pay, in micro-dollars; also its collateral.
    function maxPayoff(uint256 seriesId) external view returns (uint256);

    /// @notice What one option of a settled series pays, in micro-dollars.
    function payoff(uint256 seriesId) external view returns (uint256);

    /// @notice The collateral of `amount` options, in micro-dollars.
    function requiredCollateral(uint256 seriesId, uint256 amount) external view returns (uint256);

    /// @notice The options of a series that `writer` has written and not closed or claimed; 0 for an unknown series.
    function shortOf(uint256 seriesId, address writer) external view returns (uint256);

    /// @notice The owner's announced resolution, if any.
    function manualProposalOf(uint256 seriesId) external view returns (ManualProposal memory);

    /// @notice The EIP-712 digest that the resolution signer signs.
    function hashAttestation(uint256 seriesId, uint16 resolutionBps, uint256 validUntil)
        external
        view
        returns (bytes32 digest);
}
