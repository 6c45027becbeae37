/// Times with a time zone in metadata.
extension EntryCondition.Test {
    /// The maximum length in bytes of a time with a zone. It is one with nanoseconds.
    package static let maximumInstantLength = 40

    /// Returns the time that a text with a time zone names, such as `2026-01-31T09:00:00+02:00` or
    /// `2026-01-31 09:00Z`, in seconds since 1970. Fractions of a second are ignored.
    ///
    /// The calculation has no calendar, so that databases can make the same one: a day that a month does not
    /// have is a day of the next month.
    ///
    /// - Parameter withSeconds: Whether the seconds count. Otherwise, the result is the beginning of the
    ///   minute.
    /// - Returns: `nil` for a text of another form, and for one that is longer than
    ///   ``maximumInstantLength``.
    package static func instant(_ text: String, withSeconds: Bool) -> Int64? {
        let bytes = Array(text.utf8.prefix(maximumInstantLength + 1))
        guard bytes.count <= maximumInstantLength, let zone = zoneStart(bytes) else { return nil }
        func number(_ range: Range<Int>, _ limits: ClosedRange<Int64>) -> Int64? {
            var result: Int64 = 0
            for byte in bytes[range] {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                result = result * 10 + Int64(byte - UInt8(ascii: "0"))
            }
            return limits.contains(result) ? result : nil
        }
        guard let year = number(0..<4, 1...9_999), let month = number(5..<7, 1...12),
            let day = number(8..<10, 1...31), let hour = number(11..<13, 0...23),
            let minute = number(14..<16, 0...59),
            let second = zone > minuteLength ? number(17..<19, 0...59) : 0,
            let offset = offset(bytes[zone...], number)
        else { return nil }
        // Years begin in March, so that a leap day is the last one.
        let years = month <= 2 ? year - 1 : year
        let days =
            365 * years + years / 4 - years / 100 + years / 400 + (153 * ((month + 9) % 12) + 2) / 5 + day
            - daysBefore1970
        return days * 86_400 + hour * 3_600 + minute * 60 + (withSeconds ? second : 0) - offset
    }

    /// The number of days from 29 February of the year 0 to 1 January 1970.
    package static let daysBefore1970: Int64 = 719_469
    /// The length of a time in minutes without its zone, in bytes.
    private static let minuteLength = 16

    /// Whether a time has seconds, which are then compared.
    package static func hasSeconds(_ operand: String) -> Bool {
        operand.utf8.dropFirst(minuteLength).first == UInt8(ascii: ":")
    }

    /// Returns the index of the zone in a text with the form of a time, up to the values of its numbers.
    private static func zoneStart(_ bytes: [UInt8]) -> Int? {
        guard bytes.count > minuteLength, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            bytes[10] == UInt8(ascii: "T") || bytes[10] == UInt8(ascii: " "), bytes[13] == UInt8(ascii: ":")
        else { return nil }
        guard bytes[16] == UInt8(ascii: ":") else { return minuteLength }
        guard bytes.count > 19 else { return nil }
        guard bytes[19] == UInt8(ascii: ".") else { return 19 }
        let digits = bytes[20...].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        return digits.isEmpty || digits.endIndex == bytes.endIndex ? nil : digits.endIndex
    }

    /// Returns the seconds by which a zone is before UTC: 7,200 for `+02:00`, and 0 for `Z`.
    private static func offset(
        _ zone: ArraySlice<UInt8>, _ number: (Range<Int>, ClosedRange<Int64>) -> Int64?
    ) -> Int64? {
        if zone.elementsEqual("Z".utf8) { return 0 }
        let start = zone.startIndex
        guard zone.count == 6, let sign = zone.first, zone[start + 3] == UInt8(ascii: ":"),
            sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"),
            let hours = number(start + 1..<start + 3, 0...23),
            let minutes = number(start + 4..<start + 6, 0...59)
        else { return nil }
        return (sign == UInt8(ascii: "-") ? -1 : 1) * (hours * 3_600 + minutes * 60)
    }
}
