import Foundation
import RoostFiles
import RoostModel
import RoostVectors

/// The encoding of runs of entries.
///
/// Ids, texts, vectors and assignments are separate segments, so that a change of one property leaves the
/// other segments identical. `Documentation/Formats.md` describes the layout.
enum EntryCodec {
    // MARK: Ids

    static func encodeIDs(_ entries: [Entry]) -> Data {
        var writer = BinaryWriter()
        for entry in entries { writer.write(entry.id) }
        return Data(writer.bytes)
    }

    static func decodeIDs(_ data: Data) throws -> [Entry.ID] {
        guard data.count % 16 == 0 else { throw BinaryReader.InvalidData() }
        return try reading(data) { reader throws(BinaryReader.InvalidData) in
            var ids: [Entry.ID] = []
            while reader.remaining > 0 { ids.append(try reader.uuid()) }
            return ids
        }
    }

    // MARK: Texts

    /// The properties of an entry that are stored as JSON.
    private struct Details: Codable {
        var metadata: [String: MetadataValue]
        var location: EntryLocation?
    }

    /// Encodes everything except ids and vectors: for each entry its text, source, key, dates, tags, passages,
    /// structure, and details.
    static func encodeTexts(_ entries: [Entry]) throws -> Data {
        var writer = BinaryWriter()
        let encoder = JSONEncoder.canonical
        func write(_ text: String?) {
            writer.write(UInt8(text == nil ? 0 : 1))
            if let text { writer.write(counted: Array(text.utf8)) }
        }
        for entry in entries {
            writer.write(counted: Array(entry.content.utf8))
            write(entry.source)
            write(entry.key)
            writer.write(entry.createdAt.milliseconds)
            writer.write(entry.updatedAt.milliseconds)
            writer.write(UInt32(entry.tags.count))
            for tag in entry.tags { writer.write(counted: Array(tag.utf8)) }
            writer.write(UInt32(entry.passages.count))
            for passage in entry.passages {
                writer.write(Int64(passage.ordinal))
                writer.write(UInt64(passage.utf8Range.lowerBound))
                writer.write(UInt64(passage.utf8Range.upperBound))
                writer.write(Int64(passage.tokenCount))
            }
            writer.write(counted: entry.structure?.coded ?? [])
            let details = Details(metadata: entry.metadata, location: entry.location)
            var json: [UInt8] = []
            if details.location != nil {
                json = Array(try encoder.encode(details))
            } else if !details.metadata.isEmpty {
                // These are the bytes of the encoder, except for 2.0 and two control characters. It takes much longer.
                json.append(literal: "{\"metadata\":")
                json.append(metadata: .object(details.metadata))
                json.append(UInt8(ascii: "}"))
            }
            writer.write(counted: json)
        }
        return Data(writer.bytes)
    }

    /// - Returns: The entries, without vectors.
    static func decodeTexts(_ data: Data, ids: [Entry.ID]) throws -> [Entry] {
        let decoder = JSONDecoder()
        return try reading(data) { reader throws(BinaryReader.InvalidData) in
            func optional() throws(BinaryReader.InvalidData) -> String? {
                try reader.read(UInt8.self) == 0 ? nil : try reader.string()
            }
            var entries: [Entry] = []
            for id in ids {
                var entry = Entry(id: id, content: try reader.string())
                entry.source = try optional()
                entry.key = try optional()
                entry.createdAt = Date(milliseconds: try reader.read())
                entry.updatedAt = Date(milliseconds: try reader.read())
                var tags: [String] = []
                for _ in 0..<(try reader.count(ofAtLeast: 4)) { tags.append(try reader.string()) }
                entry.tags = tags
                for _ in 0..<(try reader.count(ofAtLeast: 32)) {
                    let ordinal = Int(try reader.read(Int64.self))
                    let (start, end) = (try reader.read(UInt64.self), try reader.read(UInt64.self))
                    guard start <= end, end <= UInt64(entry.content.utf8.count) else {
                        throw BinaryReader.InvalidData()
                    }
                    entry.passages.append(
                        Passage(
                            ordinal: ordinal, utf8Range: Int(start)..<Int(end),
                            tokenCount: Int(try reader.read(Int64.self)), vector: []))
                }
                let structure = try reader.counted()
                if !structure.isEmpty {
                    entry.structure = TextStructure(
                        coded: Array(structure), length: entry.content.utf8.count)
                    guard entry.structure != nil else { throw BinaryReader.InvalidData() }
                }
                let json = try reader.counted()
                if !json.isEmpty {
                    guard let details = try? decoder.decode(Details.self, from: Data(json)) else {
                        throw BinaryReader.InvalidData()
                    }
                    (entry.metadata, entry.location) = (details.metadata, details.location)
                }
                entries.append(entry)
            }
            guard reader.remaining == 0 else { throw BinaryReader.InvalidData() }
            return entries
        }
    }

    // MARK: Vectors

    /// How the vector of a whole entry, as opposed to those of its passages, is stored. The raw values are
    /// part of the format.
    private enum Own: UInt8 {
        case none = 0
        /// The vector is stored before those of the passages.
        case stored = 1
        /// The vector is equal to that of the first passage.
        case firstPassage = 2
    }

    static func encodeVectors(_ entries: [Entry]) -> Data {
        var writer = BinaryWriter()
        for entry in entries {
            let own: Own =
                entry.embeddings.isEmpty
                ? .none : entry.passages.first?.vector == entry.embeddings ? .firstPassage : .stored
            writer.write(own.rawValue)
            for vector in (own == .stored ? [entry.embeddings] : []) + entry.passages.map(\.vector) {
                writer.write(UInt32(vector.count))
                vector.map { $0.bitPattern.littleEndian }.withUnsafeBytes { writer.write(raw: $0) }
            }
        }
        return Data(writer.bytes)
    }

    static func decodeVectors(_ data: Data, into entries: inout [Entry]) throws {
        let texts = entries
        entries = try reading(data) { reader throws(BinaryReader.InvalidData) in
            func vector() throws(BinaryReader.InvalidData) -> [Float] {
                let bytes = try reader.take(4 * reader.count(ofAtLeast: 4))
                return stride(from: 0, to: bytes.count, by: 4).map { offset in
                    let bits = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
                    return Float(bitPattern: UInt32(littleEndian: bits))
                }
            }
            var entries = texts
            for index in entries.indices {
                guard let own = Own(rawValue: try reader.read()) else { throw BinaryReader.InvalidData() }
                if own == .stored { entries[index].embeddings = try vector() }
                for passage in entries[index].passages.indices {
                    entries[index].passages[passage].vector = try vector()
                }
                guard own == .firstPassage else { continue }
                guard let first = entries[index].passages.first else { throw BinaryReader.InvalidData() }
                entries[index].embeddings = first.vector
            }
            guard reader.remaining == 0 else { throw BinaryReader.InvalidData() }
            return entries
        }
    }

    // MARK: Assignments

    /// - Parameter assignments: One element per entry: its assignment, or `nil` if it has none.
    static func encodeAssignments(_ assignments: [Assignment?]) -> Data {
        var writer = BinaryWriter()
        for assignment in assignments {
            guard let assignment else {
                writer.write(UInt8(0))
                continue
            }
            switch assignment.target {
            case .cluster(let id):
                writer.write(UInt8(assignment.run == nil ? 1 : 2))
                writer.write(id)
            case .outlier(let reason):
                writer.write(UInt8(assignment.run == nil ? 3 : 4))
                writer.write(counted: Array(reason.rawValue.utf8))
            }
            if let run = assignment.run { writer.write(run) }
            writer.write(assignment.similarity)
            writer.write(assignment.confidence)
        }
        return Data(writer.bytes)
    }

    static func decodeAssignments(_ data: Data, ids: [Entry.ID]) throws -> [Assignment] {
        try reading(data) { reader throws(BinaryReader.InvalidData) in
            var assignments: [Assignment] = []
            for id in ids {
                let code = try reader.read(UInt8.self)
                let target: Assignment.Target
                switch code {
                case 0: continue
                case 1, 2: target = .cluster(try reader.uuid())
                case 3, 4:
                    guard let reason = Partition.OutlierReason(rawValue: try reader.string()) else {
                        throw BinaryReader.InvalidData()
                    }
                    target = .outlier(reason)
                default: throw BinaryReader.InvalidData()
                }
                let run = code % 2 == 0 ? try reader.uuid() : nil
                assignments.append(
                    Assignment(
                        entry: id, target: target, run: run, similarity: try reader.float(),
                        confidence: try reader.float()))
            }
            guard reader.remaining == 0 else { throw BinaryReader.InvalidData() }
            return assignments
        }
    }

    // MARK: Reading

    static func reading<Value>(
        _ data: Data, _ body: (inout BinaryReader) throws(BinaryReader.InvalidData) -> Value
    ) throws -> Value {
        try data.withUnsafeBytes { bytes in
            var reader = BinaryReader(bytes)
            return try body(&reader)
        }
    }
}
