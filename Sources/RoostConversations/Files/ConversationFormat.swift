import Foundation
import Logging
public import RoostModel

/// The stored form of conversations in files and in the user defaults.
enum ConversationFormat {
    static let version = 1

    /// Refuses data that a newer program wrote.
    static func check(version stored: Int, in location: String) throws {
        guard stored > 0 else {
            throw StorageError(.damaged, "cannot open \(location): invalid schema version \(stored)")
        }
        guard stored <= version else {
            throw StorageError.newerFormat(stored, of: location, supported: version)
        }
    }

    /// Returns an encoder that writes dates as integer milliseconds since 1970.
    static func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(date.milliseconds)
        }
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }

    /// Returns a decoder for dates in milliseconds since 1970.
    static func decoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .millisecondsSince1970
        return decoder
    }

    /// Logs that a result omits damaged data.
    static func warn(_ error: StorageError) {
        Logger(label: "roost.conversations").warning(
            "skipped damaged conversation data", metadata: ["error": "\(error)"])
    }
}

/// A function that is called when a result omits a session or history because it is damaged. The error names the
/// file, the row of a table, or the key of the user defaults.
public typealias DamageHandler = @Sendable (_ error: StorageError) -> Void
