/// Why a store could not be opened, read from or added to: one sentence for people, a code for programs.
public struct RoostError: Error, Sendable, CustomStringConvertible {
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// There is no store at the place.
        public static let noStore = Code(rawValue: "noStore")
        /// There is a store already.
        public static let storeExists = Code(rawValue: "storeExists")
        /// `store.json` cannot be read.
        public static let damagedManifest = Code(rawValue: "damagedManifest")
        /// The store was made by a newer version.
        public static let newerFormat = Code(rawValue: "newerFormat")
        /// The store belongs to another user.
        public static let foreignStore = Code(rawValue: "foreignStore")
        /// The store's vectors are of another embedding space.
        public static let spaceMismatch = Code(rawValue: "spaceMismatch")
        /// There is no such input.
        public static let noInput = Code(rawValue: "noInput")
        /// The input is not what it should be.
        public static let badInput = Code(rawValue: "badInput")
        /// The store has no entries, or none that can be used.
        public static let emptyStore = Code(rawValue: "emptyStore")
        /// What was named is not in the store.
        public static let notFound = Code(rawValue: "notFound")
        /// Nothing was written down that could be taken back now.
        public static let nothingToUndo = Code(rawValue: "nothingToUndo")
        /// The setting is not possible.
        public static let configuration = Code(rawValue: "configuration")
    }

    public let code: Code
    public let message: String

    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    public var description: String { message }
}
