import Foundation
package import Logging
import RoostMCP
import RoostModel

/// A log handler that writes one JSON object per line to standard error.
package struct JSONLogHandler: LogHandler {
    package var metadata: Logger.Metadata = [:]
    package var logLevel: Logger.Level

    /// Creates a handler.
    package init(level: Logger.Level) { logLevel = level }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        var members: [String: JSONValue] = [
            "time": .string(DateText.string(from: Date())),
            "level": .string(event.level.rawValue), "message": .string("\(event.message)"),
        ]
        for (key, value) in metadata.merging(event.metadata ?? [:], uniquingKeysWith: { $1 }) {
            members[key] = Self.json(value)
        }
        let line = Data(JSONWriter.bytes(of: .object(members)) + [0x0A])
        // A failure to write the log must not affect requests.
        try? FileHandle.standardError.write(contentsOf: line)
    }

    /// Returns a value as JSON: numbers as numbers, everything else as text.
    private static func json(_ value: Logger.Metadata.Value) -> JSONValue {
        guard case .stringConvertible(let content) = value else { return .string("\(value)") }
        return switch content {
        case let number as Int: .count(number)
        case let number as Double: .number(number)
        default: .string("\(value)")
        }
    }
}
