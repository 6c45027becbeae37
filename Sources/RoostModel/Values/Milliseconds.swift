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
        // The formatter cuts what a Double cannot say exactly: it is given whole seconds only.
        let (seconds, milliseconds) = date.milliseconds.quotientRoundedDown(by: 1000)
        let text = Date(timeIntervalSince1970: Double(seconds)).formatted(Date.ISO8601FormatStyle())
        let digits = String(milliseconds)
        return text.dropLast() + "." + String(repeating: "0", count: 3 - digits.count) + digits + "Z"
    }

    /// - Returns: `nil` where the text is no ISO 8601 date with time and zone.
    public static func date(from text: String) -> Date? {
        guard let point = text.firstIndex(of: ".") else { return try? Date.ISO8601FormatStyle().parse(text) }
        let digits = text[text.index(after: point)...].prefix { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty, digits.count <= 9, let fraction = Double("0." + digits),
            let whole = try? Date.ISO8601FormatStyle().parse(
                String(text[..<point] + text[digits.endIndex...]))
        else { return nil }
        return Date(milliseconds: whole.milliseconds + Int64((fraction * 1000).rounded()))
    }
}

extension Int64 {
    fileprivate func quotientRoundedDown(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

extension KeyedDecodingContainer {
    /// A date written as ISO 8601 text or, as `JSONEncoder` does unless told otherwise, as seconds since
    /// 2001.
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
