/// The location of an entry's text in its source, recorded when the source is ingested.
///
/// Results are shown with it, so displaying them does not require the source. Each part is optional, because
/// many sources do not have lines, pages or headings.
public struct EntryLocation: Sendable, Hashable {
    /// The number of the line on which the text begins, from 1.
    public var line: Int?
    /// The number of the line on which the text ends. If `nil`, each line break of the text is also a line
    /// break of the source. A row of JSON Lines ends on the line on which it begins, whatever its text
    /// contains.
    public var lastLine: Int?
    /// The number of the page on which the text begins, from 1.
    public var page: Int?
    /// The headings above the text, the outermost first.
    public var headings: [String]

    /// Creates a location.
    public init(line: Int? = nil, lastLine: Int? = nil, page: Int? = nil, headings: [String] = []) {
        (self.line, self.lastLine, self.page, self.headings) = (line, lastLine, page, headings)
    }

    /// Returns whether two locations are equal. Headings are compared byte by byte.
    public static func == (left: EntryLocation, right: EntryLocation) -> Bool {
        left.line == right.line && left.lastLine == right.lastLine && left.page == right.page
            && left.headings.elementsEqual(right.headings, by: ExactText.areSame)
    }
}

extension EntryLocation: Codable {
    enum CodingKeys: String, CodingKey {
        case line, lastLine, page, headings
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            line: try container.decodeIfPresent(Int.self, forKey: .line),
            lastLine: try container.decodeIfPresent(Int.self, forKey: .lastLine),
            page: try container.decodeIfPresent(Int.self, forKey: .page),
            headings: try container.decodeIfPresent([String].self, forKey: .headings) ?? [])
        guard isValid else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: container.codingPath,
                    debugDescription: "a number in the location is out of range"))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(line, forKey: .line)
        try container.encodeIfPresent(lastLine, forKey: .lastLine)
        try container.encodeIfPresent(page, forKey: .page)
        if !headings.isEmpty { try container.encode(headings, forKey: .headings) }
    }
}

extension EntryLocation {
    /// The maximum number of a line or page: every provider and format can store it.
    package static let maximumNumber = Int(Int32.max)

    /// Whether all numbers are in their ranges and the last line is not before the first one.
    package var isValid: Bool {
        let numbers = [line, lastLine, page].compactMap(\.self)
        guard numbers.allSatisfy({ (1...Self.maximumNumber).contains($0) }) else { return false }
        guard let lastLine else { return true }
        return line.map { $0 <= lastLine } ?? false
    }
}

extension Entry {
    /// Returns the number of the line of the source that contains a UTF-8 byte of the content, from 1; `nil`
    /// if it is unknown or the location has a number that stores reject.
    ///
    /// - Complexity: O(byte).
    public func sourceLine(ofByte byte: Int) -> Int? {
        guard let location, location.isValid, let first = location.line else { return nil }
        if let last = location.lastLine, last == first { return first }
        let line = first + line(ofByte: byte) - 1
        return location.lastLine.map { min(line, $0) } ?? line
    }
}
