import Foundation
import RoostModel
import RoostText

/// Reads the JSON form of an entry, which is that of its `Codable` conformance, about thirty times as fast as
/// `JSONDecoder`.
package enum EntryText {
    static func read(
        _ reader: inout JSONReader, withVectors: Bool = true, defaultDate: Date = Date(milliseconds: 0),
        dimension: Int = 0
    ) throws -> Entry {
        var id: UUID?
        var content: String?
        var embeddings: [Float] = []
        var passages: [(range: Range<Int>, tokens: Int, vector: [Float]?)] = []
        var (source, key, structure): (String?, String?, String?) = (nil, nil, nil)
        var location: EntryLocation?
        var metadata: [String: MetadataValue] = [:]
        var tags: [String] = []
        var (created, updated): (Date?, Date?) = (nil, nil)
        try reader.object { reader, name in
            switch name {
            case "id": id = try uuid(&reader)
            case "content": content = try reader.string()
            case "embeddings":
                if try isNull(&reader) { return }
                if withVectors {
                    embeddings = try reader.floats(capacity: dimension)
                } else {
                    try reader.skipNumbers()
                }
            case "passages":
                if withVectors {
                    try reader.array { passages.append(try passage(&$0, dimension)) }
                } else {
                    try reader.skipValue()
                }
            case "source": source = try isNull(&reader) ? nil : reader.string()
            case "key": key = try isNull(&reader) ? nil : reader.string()
            case "location": location = try isNull(&reader) ? nil : self.location(&reader)
            case "metadata":
                if try isNull(&reader) { return }
                guard case .object(let values) = try MetadataValue(&reader, depth: 0) else {
                    throw reader.error("the metadata is not an object")
                }
                metadata = values
            case "structure": structure = try isNull(&reader) ? nil : reader.string()
            case "tags": tags = try isNull(&reader) ? [] : reader.strings()
            case "createdAt": created = try date(&reader)
            case "updatedAt": updated = try date(&reader)
            default: try reader.skipValue()
            }
        }
        guard let id, let content else { throw reader.error("the entry lacks an id or content") }
        guard passages.allSatisfy({ $0.range.upperBound <= content.utf8.count }) else {
            throw reader.error("a passage is outside the content")
        }
        return Entry(
            id: id, content: content, structure: try self.structure(structure, of: content, reader),
            embeddings: embeddings,
            passages: passages.enumerated().map {
                Passage(
                    ordinal: $0, utf8Range: $1.range, tokenCount: $1.tokens, vector: $1.vector ?? embeddings)
            },
            source: source, key: key, location: location, metadata: metadata, tags: tags,
            createdAt: created ?? defaultDate, updatedAt: updated)
    }

    private static func isNull(_ reader: inout JSONReader) throws -> Bool {
        guard reader.peek() == UInt8(ascii: "n") else { return false }
        try reader.word("null")
        return true
    }

    private static func location(_ reader: inout JSONReader) throws -> EntryLocation {
        var location = EntryLocation()
        try reader.object { reader, name in
            switch name {
            case "line": location.line = try isNull(&reader) ? nil : reader.integer()
            case "lastLine": location.lastLine = try isNull(&reader) ? nil : reader.integer()
            case "page": location.page = try isNull(&reader) ? nil : reader.integer()
            case "headings": location.headings = try isNull(&reader) ? [] : reader.strings()
            default: try reader.skipValue()
            }
        }
        guard location.isValid else { throw reader.error("a number in the location is out of range") }
        return location
    }

    private static func structure(
        _ text: String?, of content: String, _ reader: JSONReader
    ) throws -> TextStructure? {
        guard let text else { return nil }
        guard let structure = TextStructure(base64: text, of: content) else {
            throw reader.error("the structure is not that of the text")
        }
        return structure
    }

    private static func uuid(_ reader: inout JSONReader) throws -> UUID {
        let text = try reader.string()
        guard let id = UUID(uuidString: text) else { throw reader.error("the id is not a UUID") }
        return id
    }

    private static func passage(
        _ reader: inout JSONReader, _ dimension: Int
    ) throws -> (range: Range<Int>, tokens: Int, vector: [Float]?) {
        var bounds: [Int] = []
        var tokens = 0
        var vector: [Float]?
        try reader.object { reader, name in
            switch name {
            case "range": try reader.array { bounds.append(try $0.integer()) }
            case "tokens": tokens = try reader.integer()
            case "vector": vector = try reader.floats(capacity: dimension)
            default: try reader.skipValue()
            }
        }
        guard bounds.count == 2, bounds[0] >= 0, bounds[0] <= bounds[1] else {
            throw reader.error("a range must be [start, end] in UTF-8 bytes")
        }
        return (bounds[0]..<bounds[1], tokens, vector)
    }

    /// Reads a date in ISO 8601 format, or in the default format of `JSONEncoder`, which is seconds since
    /// 2001.
    private static func date(_ reader: inout JSONReader) throws -> Date? {
        if try isNull(&reader) { return nil }
        guard reader.peek() == UInt8(ascii: "\"") else {
            let date = Date(timeIntervalSinceReferenceDate: try reader.double())
            guard date.isWritable else { throw reader.error("the date is outside the years 1 to 9999") }
            return date
        }
        let text = try reader.string()
        guard let date = DateText.date(from: text) else {
            throw reader.error("the date is not in ISO 8601 format")
        }
        return date
    }
}
