public import Foundation
public import RoostModel

/// An error that occurred while a knowledge store was opened, filled, searched or maintained.
///
/// It has a code for programs, a message for people and, where a known action helps, a ``remedy`` that front
/// ends describe in their own words. Failures of the storage itself are reported as `StorageError`.
public struct RoostError: LocalizedError, Sendable, CustomStringConvertible {
    /// The kind of failure. New codes may be added in any release.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The code's name.
        public let rawValue: String

        /// Creates a code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The folder contains no store.
        public static let noStore = Code(rawValue: "noStore")
        /// The folder already contains a store.
        public static let storeExists = Code(rawValue: "storeExists")
        /// The manifest, `store.json`, is missing or cannot be decoded.
        public static let damagedManifest = Code(rawValue: "damagedManifest")
        /// A newer version of Roost wrote the store or file.
        public static let newerFormat = Code(rawValue: "newerFormat")
        /// The store belongs to another user of the computer.
        public static let foreignStore = Code(rawValue: "foreignStore")
        /// The store's vectors and the embedder belong to different embedding spaces.
        public static let spaceMismatch = Code(rawValue: "spaceMismatch")
        /// An input file or folder does not exist or cannot be read.
        public static let noInput = Code(rawValue: "noInput")
        /// An input has invalid content.
        public static let badInput = Code(rawValue: "badInput")
        /// The store has no entries, vectors or clusters for the operation to work on.
        public static let emptyStore = Code(rawValue: "emptyStore")
        /// The store has no entry, cluster or source with the given name.
        public static let notFound = Code(rawValue: "notFound")
        /// No recorded change can be undone.
        public static let nothingToUndo = Code(rawValue: "nothingToUndo")
        /// A parameter or setting is invalid.
        public static let configuration = Code(rawValue: "configuration")
    }

    /// The kind of failure.
    public let code: Code
    /// A human-readable sentence that names the operation, its object and the cause.
    public let message: String
    /// An action that may solve the problem; `nil` if no known action does.
    public let remedy: Remedy?
    var isTransient = false

    /// Creates an error. The message has no final period.
    public init(_ code: Code, _ message: String, remedy: Remedy? = nil) {
        self.code = code
        self.message = message
        self.remedy = remedy
    }

    public var description: String { message }

    public var errorDescription: String? { message }
}
