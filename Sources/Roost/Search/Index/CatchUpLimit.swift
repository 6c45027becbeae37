/// The limits for catching up with changes, which all derived contents share.
enum CatchUpLimit {
    /// Up to this number of changed entries are always read one by one.
    private static let minimumChanges = 1000
    /// If more than one in this many rows has changed, reading all entries in order is faster.
    private static let maximumShare = 4
    /// The number of parts at which all newer parts are merged into one. Many small parts make searches slow.
    static let maximumParts = 32

    /// Returns the maximum number of changed entries to read one by one.
    static func maximumChanges(of rows: Int) -> Int { max(minimumChanges, rows / maximumShare) }
}
