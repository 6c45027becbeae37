import Synchronization

/// Counts the losses of a restoration while it reports them.
final class LossCounter: Sendable {
    private let counted = Mutex(0)
    private let report: (@Sendable (BackupLoss) -> Void)?

    /// Creates a counter.
    ///
    /// - Parameter report: Receives each loss; `nil` if losses are errors.
    init(reporting report: (@Sendable (BackupLoss) -> Void)?) { self.report = report }

    /// The number of losses so far.
    var count: Int { counted.withLock { $0 } }

    /// The function that counts and reports a loss; `nil` if losses are errors.
    var onLoss: (@Sendable (BackupLoss) -> Void)? {
        guard let report else { return nil }
        return { loss in
            self.counted.withLock { $0 += 1 }
            report(loss)
        }
    }
}
