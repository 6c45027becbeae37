import Foundation
import RoostFiles
import RoostModel
import RoostText
import TestSupport
import Testing

@testable import RoostStorage

/// The reader and writer of entries agree with `Codable` and reject hostile text.
struct EntryTextTests {
    static func entry(seed: Int) -> Entry {
        var generator = Seeded(state: UInt64(seed) &+ 1)
        let texts = [
            "", "plain", "ünïcödé 🐦‍⬛ \u{301}", "quote \" slash \\ / tab \t \u{0} \u{1F} \u{7F} \u{2028}",
            "e\u{301} é",
        ]
        func number() -> Float {
            let bits = UInt32(truncatingIfNeeded: generator.next())
            let value = Float(bitPattern: bits)
            return value.isFinite ? value : Float(Int32(bitPattern: bits)) / 1e9
        }
        let count = [0, 1, 7, 31][seed % 4]
        let vector = (0..<count).map { _ in number() }
        let content = texts[seed % texts.count] + " \(seed)"
        return Entry(
            id: UUID(), content: content, embeddings: vector,
            passages: seed % 3 == 0
                ? []
                : [
                    Passage(ordinal: 0, utf8Range: 0..<1, tokenCount: seed, vector: vector),
                    Passage(ordinal: 1, utf8Range: 0..<content.utf8.count, vector: vector.map { -$0 }),
                ],
            source: seed % 2 == 0 ? nil : texts[(seed / 2) % texts.count], key: seed % 5 == 0 ? "k" : nil,
            location: location(seed: seed),
            metadata: [
                "none": .null, "yes": .bool(true), "whole": .integer(.min), "large": .integer(.max),
                "real": .number(Double(number())), "tiny": .number(.leastNonzeroMagnitude),
                "huge": .number(-1.7976931348623157e308),
                "list": .array([.object(["a": .array([])]), .string("\u{FFFF}")]),
                texts[seed % texts.count]: .string("x"),
            ],
            tags: seed % 2 == 0 ? [] : ["b", "a\""],
            createdAt: Date(milliseconds: Int64(seed) * 86_399_999 - 9_000_000_000_000))
    }

    private static func location(seed: Int) -> EntryLocation? {
        switch seed % 6 {
        case 0: nil
        case 1: EntryLocation()
        case 2: EntryLocation(line: seed)
        case 3: EntryLocation(line: 1, lastLine: seed, headings: ["a \"\u{301}\"", ""])
        case 4: EntryLocation(page: seed, headings: ["h"])
        default: EntryLocation(line: seed, lastLine: seed, page: 2)
        }
    }

    static func read(_ text: [UInt8], withVectors: Bool = true) throws -> Entry {
        try text.withUnsafeBytes { bytes in
            var reader = JSONReader(bytes)
            let entry = try EntryText.read(&reader, withVectors: withVectors)
            try reader.expectEnd()
            return entry
        }
    }

    @Test func `the text of every coder decodes to the same entry`() throws {
        for seed in 0..<400 {
            let entry = Self.entry(seed: seed)
            let text = try JSONTextEncoder(writesDatesAsText: true).text(of: entry)
            #expect(try Self.read(text) == entry)
            #expect(try JSONDecoder().decode(Entry.self, from: Data(text)) == entry)
            #expect(try Self.read(Array(try JSONEncoder.canonical.encode(entry))) == entry)
            var bare = entry
            (bare.embeddings, bare.passages) = ([], [])
            #expect(try Self.read(text, withVectors: false) == bare)
        }
    }

    @Test func `every number is rounded to the nearest float`() throws {
        var generator = Seeded(state: 7)
        var texts = [
            "0", "-0", "1e-46", "1.17549435e-38", "3.4028235e38", "16777217", "0.1", "1e-45", "7.0064923e-46",
        ]
        for _ in 0..<20_000 {
            let value = Float(bitPattern: UInt32(truncatingIfNeeded: generator.next()))
            if value.isFinite {
                texts.append(value.description)
                // More digits than any shortest form, and close to the midpoint between two floats.
                let middle = (Double(value) + Double(value.nextUp)) / 2
                if middle.isFinite, Float(middle).isFinite { texts.append("\(middle)") }
            }
        }
        let line = Array("[\(texts.joined(separator: ","))]".utf8)
        let found = try line.withUnsafeBytes { bytes in
            var reader = JSONReader(bytes)
            return try reader.floats()
        }
        for (text, value) in zip(texts, found) {
            #expect(value.bitPattern == strtof(text, nil).bitPattern, "\(text)")
        }
    }

    /// A locale in which numbers have a decimal comma; `nil` if the system does not have it.
    private static var commaLocale: locale_t? { newlocale(LC_NUMERIC_MASK, "de_DE.UTF-8", nil) }

    @Test(.enabled(if: commaLocale != nil)) func `numbers do not depend on the locale of the program`() throws
    {
        let locale = try #require(Self.commaLocale)
        let previous = uselocale(locale)
        defer {
            uselocale(previous)
            freelocale(locale)
        }
        // These numbers have too many digits for the fast conversions.
        let text = Array("[0.12345678901234567890,0.5000000000000000000000]".utf8)
        let (floats, double) = try text.withUnsafeBytes { bytes in
            var (reader, other) = (JSONReader(bytes), JSONReader(bytes))
            try other.expect("[")
            return (try reader.floats(), try other.double())
        }
        #expect(floats == [0.123456789, 0.5] && double == 0.12345678901234567890)
    }

    @Test(arguments: [
        "", "{", "[]", "null", "{\"id\": 1}", "{\"id\":\"x\",\"content\":\"a\"}", "{\"content\":\"a\"}",
        "{\"id\":\"00000000-0000-4000-8000-000000000001\",\"content\":\"a\"",
        "{\"id\":\"00000000-0000-4000-8000-000000000001\",\"content\":\"a\"} x",
        "{\"id\":\"00000000-0000-4000-8000-000000000001\",\"content\":\"a\n\"}",
        "{\"id\":\"00000000-0000-4000-8000-000000000001\",\"content\":\"\\ud800\"}",
        "{\"id\":\"00000000-0000-4000-8000-000000000001\",\"content\":\"\\u12\"}",
        "{\"id\":\"00000000-0000-4000-8000-000000000001\",\"content\":\"a\",\"embeddings\":[1e999]}",
        "{\"id\":\"00000000-0000-4000-8000-000000000001\",\"content\":\"a\",\"embeddings\":[NaN]}",
        "{\"id\":\"00000000-0000-4000-8000-000000000001\",\"content\":\"a\",\"embeddings\":[01]}",
        "{\"id\":\"00000000-0000-4000-8000-000000000001\",\"content\":\"a\",\"embeddings\":[1.]}",
        "{\"id\":\"00000000-0000-4000-8000-000000000001\",\"content\":\"a\",\"embeddings\":[1,]}",
        "{\"id\":\"00000000-0000-4000-8000-000000000001\",\"content\":\"a\",\"metadata\":[]}",
        "{\"id\":\"00000000-0000-4000-8000-000000000001\",\"content\":\"a\",\"createdAt\":\"yesterday\"}",
        "{\"id\":\"00000000-0000-4000-8000-000000000001\",\"content\":\"a\",\"passages\":[{\"range\":[2,1]}]}",
        "{\"id\":\"00000000-0000-4000-8000-000000000001\",\"content\":\"a\",\"x\":"
            + String(repeating: "[", count: 200_000),
    ])
    func `a text that is not an entry is rejected`(text: String) {
        #expect(throws: (any Error).self) { try Self.read(Array(text.utf8)) }
    }

    @Test func `mutated text never crashes the reader`() throws {
        var generator = Seeded(state: 3)
        var refused = 0
        for seed in 0..<200 {
            let text = try JSONTextEncoder(writesDatesAsText: true).text(of: Self.entry(seed: seed))
            for _ in 0..<50 {
                var mutated = text
                for _ in 0...Int(generator.next() % 3) {
                    let offset = Int(generator.next() % UInt64(mutated.count))
                    switch generator.next() % 4 {
                    case 0: mutated[offset] = UInt8(truncatingIfNeeded: generator.next())
                    case 1: mutated.remove(at: offset)
                    case 2: mutated.insert(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "u")], at: offset)
                    default: mutated.removeLast(min(mutated.count - 1, Int(generator.next() % 40)))
                    }
                }
                if (try? Self.read(mutated)) == nil { refused += 1 }
            }
        }
        #expect(refused > 5_000)
    }

    /// The first day of the Gregorian calendar, 15 October 1582.
    private static let gregorianReform = Date(timeIntervalSince1970: -12_219_292_800)

    @Test func `dates are formatted and parsed like Foundation's`() throws {
        var generator = Seeded(state: 11)
        for _ in 0..<2_000 {
            let date = Date(milliseconds: Int64(generator.next() % 250_000_000_000_000) - 62_135_596_800_000)
            let text = DateText.string(from: date)
            #expect(DateText.date(from: text) == date)
            // Foundation writes earlier dates in the Julian calendar.
            guard date >= Self.gregorianReform else { continue }
            let whole = Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down))
            #expect(text.hasPrefix(whole.formatted(Date.ISO8601FormatStyle()).dropLast()))
        }
        for text in [
            "2026-02-29T00:00:00.000Z", "2026-13-01T00:00:00.000Z", "2026-01-01T24:00:00.000Z", "2026-01-01",
            "2026-02-30T10:00:00Z", "2026-02-29T10:00:00+01:00", "2026-01-01T25:00:00Z",
            "2026-01-01T10:60:00Z",
            "2026-01-01T10:00:00Zjunk", "2026-01-01T10:00:00", "2026-01-01T10:00:00.Z",
            "2026-01-01T10:00:00+1",
            "2026-01-01T10:00:00+24:00", "2026-01-01T10:00:00.1234567890Z",
        ] {
            #expect(DateText.date(from: text) == nil, "\(text)")
        }
    }

    @Test(
        arguments: [
            "2026-01-31T09:00:00Z", "2026-01-31t09:00:00.0z", "2026-01-31T10:00:00+01:00",
            "2026-01-31T10:00:00+0100", "2026-01-31T10:00:00+01", "2026-01-31T04:30:00.000000-04:30",
            "2026-01-31T08:59:60Z", "2026-01-31T08:59:59.9995Z",
        ])
    func `a time can have any form of RFC 3339`(text: String) throws {
        #expect(DateText.date(from: text) == DateText.date(from: "2026-01-31T09:00:00.000Z"))
    }
}
