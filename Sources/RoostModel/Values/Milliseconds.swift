public import Foundation

extension Date {
    /// The date of a whole number of milliseconds since 1970-01-01T00:00:00Z.
    public init(milliseconds: Int64) {
        self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    /// Milliseconds since 1970-01-01T00:00:00Z, rounded to the nearest: what Roost keeps of a date.
    public var milliseconds: Int64 {
        let value = (timeIntervalSince1970 * 1000).rounded()
        return Int64(exactly: value) ?? (value < 0 ? Int64.min : Int64.max)
    }

    /// The date with what is finer than a millisecond rounded away.
    public var wholeMilliseconds: Date { Date(milliseconds: milliseconds) }
}

/// Dates as text: ISO 8601 in UTC, written with milliseconds, read with or without a fraction.
public enum DateText {
    public static func string(from date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// - Returns: `nil` where the text is no ISO 8601 date with time and zone.
    public static func date(from text: String) -> Date? {
        let date =
            (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text))
            ?? (try? Date.ISO8601FormatStyle().parse(text))
        return date?.wholeMilliseconds
    }
}

extension KeyedDecodingContainer {
    /// A date written as ISO 8601 text or, as `JSONEncoder` does unless told otherwise, as seconds since 2001.
    func decodeDateIfPresent(forKey key: Key) throws -> Date? {
        guard contains(key), try !decodeNil(forKey: key) else { return nil }
        if let seconds = try? decode(Double.self, forKey: key) {
            return Date(timeIntervalSinceReferenceDate: seconds).wholeMilliseconds
        }
        let text = try decode(String.self, forKey: key)
        guard let date = DateText.date(from: text) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "not an ISO 8601 date: \(text.prefix(40))")
        }
        return date
    }
}
