import Foundation
import RoostModel

/// Creates timestamps for the names of files that are kept for inspection when they are no longer part of the
/// store.
enum TimestampName {
    /// Returns the current time in UTC, for example `20261121-055434-123`.
    static func now() -> String {
        DateText.string(from: Date()).filter(\.isNumber).enumerated().map { index, digit in
            index == 8 || index == 14 ? "-\(digit)" : "\(digit)"
        }.joined()
    }
}
