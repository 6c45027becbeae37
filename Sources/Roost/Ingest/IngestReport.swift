public import Foundation

/// The result of an ingest.
public struct IngestReport: Sendable, Hashable, Encodable {
    /// An input that was not ingested.
    public struct Skip: Sendable, Hashable, Encodable {
        /// The path or name of the input.
        public var source: String
        /// The cause, as a message for the user.
        public var reason: String

        /// Creates the record of a skipped input.
        public init(source: String, reason: String) {
            self.source = source
            self.reason = reason
        }

        /// Creates the record of a file that could not be read.
        ///
        /// The path at the beginning of the error's message is omitted, because it is in ``source``.
        public init(_ file: URL, _ error: any Error) {
            var reason = "\(error)"
            for prefix in ["cannot read \(file.path): ", "\(file.path), ", "\(file.path): "]
            where reason.hasPrefix(prefix) {
                reason = String(reason.dropFirst(prefix.count))
            }
            self.init(source: file.path, reason: reason)
        }
    }

    /// The number of entries that were added.
    public var new = 0
    /// The number of entries that were changed.
    public var updated = 0
    /// The number of entries that were removed.
    public var removed = 0
    /// The number of entries that were already in the store.
    public var unchanged = 0
    /// The number of texts whose vectors were copied from an equal text.
    public var reused = 0
    /// The number of tokens that were embedded.
    public var tokens = 0
    /// The number of tokens beyond the model's limit, which no vector represents.
    public var omittedTokens = 0
    /// The inputs that were not ingested.
    public var skipped: [Skip] = []
    /// The number of known files below the ingested folders that no longer exist, and whose entries are still
    /// in the store.
    public var missingFiles = 0

    /// Creates an empty report.
    public init() {}
}
