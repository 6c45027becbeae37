import Foundation
import RoostModel

/// Timestamps in the names of files that are kept for inspection after they stop being part of the store.
enum TimestampName {
    /// Returns the current time in UTC, for example `20261121-055434-123`.
    static func now() -> String {
        DateText.string(from: Date()).filter(\.isNumber).enumerated().map { index, digit in
            index == 8 || index == 14 ? "-\(digit)" : "\(digit)"
        }.joined()
    }
}
