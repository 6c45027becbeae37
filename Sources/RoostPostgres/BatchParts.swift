import RoostModel
import Synchronization

/// The parts of a batch. While the caller sends a part, another thread computes the next one, so that client
/// and server work at the same time.
final class BatchParts {
    private let writer: Writer
    private var pending: Precomputed<BatchWriter.Part>?
    private var isFinished = false

    init(_ writer: BatchWriter) { self.writer = Writer(writer) }

    /// Returns the next part; `nil` after the last one.
    ///
    /// - Throws: `StorageError`.
    func next() throws -> BatchWriter.Part? {
        guard !isFinished else { return nil }
        let part = try pending?.value() ?? writer.nextPart()
        isFinished = part.isLast
        pending = isFinished ? nil : Precomputed { [writer] in try writer.nextPart() }
        return part
    }

    /// The head of the store after the batch, once all parts were returned.
    var head: Head { writer.state.withLock { $0.head } }

    /// Whether the batch changes anything, once all parts were returned.
    var hasChanges: Bool { writer.state.withLock { $0.hasChanges } }
}

/// A writer that two threads use in turn.
private final class Writer: Sendable {
    let state: Mutex<BatchWriter>

    init(_ writer: BatchWriter) { state = Mutex(writer) }

    func nextPart() throws -> BatchWriter.Part { try state.withLock { try $0.nextPart() } }
}
