public import Foundation

/// The error that a ``Clusterer`` throws if it cannot partition the vectors as requested.
public struct ClusteringError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a ``ClusteringError``. A custom clusterer may define further codes.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The name of the code.
        public let rawValue: String

        /// Creates a code with the given name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The matrix has no rows, or all of its rows are zero.
        public static let noVectors = Code(rawValue: "noVectors")
        /// The requested number of groups exceeds the number of vectors.
        public static let tooManyClusters = Code(rawValue: "tooManyClusters")
        /// The requested number of groups is not positive.
        public static let invalidCount = Code(rawValue: "invalidCount")
        /// A vector has a component that is infinite or not a number.
        public static let notFinite = Code(rawValue: "notFinite")
        /// A property of the clusterer is out of range.
        public static let invalidParameter = Code(rawValue: "invalidParameter")
        /// The partition that a custom clusterer returned does not fit the vectors, or contradicts itself.
        public static let invalidPartition = Code(rawValue: "invalidPartition")
    }

    /// The kind of error.
    public let code: Code
    /// The cause, in English, for people.
    public let message: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of error.
    ///   - message: The cause, in English, for people.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }

    public var errorDescription: String? { message }
}
