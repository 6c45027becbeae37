public import Foundation

/// The error that is thrown if a model cannot be opened, or cannot embed a text or label a cluster.
public struct EmbedderError: LocalizedError, Sendable, CustomStringConvertible {
    /// A code for the kind of an error. The set of codes is open: a model may define additional ones.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The stable name of the code, which is the same as the name of its constant.
        public let rawValue: String

        /// Creates a code with the given name. The name need not be one that this version defines.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The folder of the model, or one of its files, is missing.
        public static let modelNotFound = Code(rawValue: "modelNotFound")
        /// A file of the model is corrupt or contradicts another one.
        public static let damagedModel = Code(rawValue: "damagedModel")
        /// The architecture or a setting of the model is not supported.
        public static let unsupportedModel = Code(rawValue: "unsupportedModel")
        /// A remote model cannot be reached or is overloaded.
        public static let unavailable = Code(rawValue: "unavailable")
        /// A remote model rejects the request because of the key, the model name or the text.
        public static let refused = Code(rawValue: "refused")
        /// The response from a remote model has an unexpected format or content.
        public static let badAnswer = Code(rawValue: "badAnswer")
        /// The configuration of a remote model is invalid.
        public static let configuration = Code(rawValue: "configuration")
        /// The converted model cannot be written.
        public static let badOutput = Code(rawValue: "badOutput")
    }

    /// The kind of the error.
    public let code: Code
    /// A human-readable sentence that states the operation, its object and the cause of the error.
    public let message: String
    /// Whether repeating the same call later can succeed.
    public let isRetryable: Bool

    /// The action that can solve the problem; `nil` if none is known.
    public let remedy: Remedy?

    /// Creates an error.
    public init(_ code: Code, _ message: String, isRetryable: Bool = false, remedy: Remedy? = nil) {
        (self.code, self.message, self.isRetryable, self.remedy) = (code, message, isRetryable, remedy)
    }

    public var description: String { message }

    public var errorDescription: String? { message }
}
