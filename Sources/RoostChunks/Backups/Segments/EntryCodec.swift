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

    /// The properties of an entry that are present. The raw values are part of the format.
    private struct Presence: OptionSet {
        let rawValue: UInt8

        static let key = Presence(rawValue: 1)
        static let location = Presence(rawValue: 2)
        static let structure = Presence(rawValue: 4)
    }

    /// Encodes everything except ids and vectors: for each entry its text, source, key, dates, tags, metadata
    /// as JSON, passages, location, and structure.
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
            var presence: Presence = entry.key == nil ? [] : .key
            if entry.location != nil { presence.insert(.location) }
            if entry.structure != nil { presence.insert(.structure) }
            writer.write(presence.rawValue)
            if let key = entry.key { writer.write(counted: Array(key.utf8)) }
            writer.write(entry.createdAt.milliseconds)
            writer.write(entry.updatedAt.milliseconds)
            writer.write(UInt32(entry.tags.count))
            for tag in entry.tags { writer.write(counted: Array(tag.utf8)) }
            writer.write(counted: entry.metadata.isEmpty ? [] : Array(try encoder.encode(entry.metadata)))
            writer.write(UInt32(entry.passages.count))
            for passage in entry.passages {
                writer.write(Int64(passage.ordinal))
                writer.write(UInt64(passage.utf8Range.lowerBound))
                writer.write(UInt64(passage.utf8Range.upperBound))
                writer.write(Int64(passage.tokenCount))
            }
            if let location = entry.location { writeLocation(location, to: &writer) }
            if let structure = entry.structure { writer.write(counted: structure.coded) }
        }
        return Data(writer.bytes)
    }

    /// Encodes the line, last line and page, with 0 for an unknown number, and the headings.
    private static func writeLocation(_ location: EntryLocation, to writer: inout BinaryWriter) {
        for number in [location.line, location.lastLine, location.page] {
            writer.write(UInt32(clamping: number ?? 0))
        }
        writer.write(UInt32(location.headings.count))
        for heading in location.headings { writer.write(counted: Array(heading.utf8)) }
    }

    private static func location(
        _ reader: inout BinaryReader
    ) throws(BinaryReader.InvalidData) -> EntryLocation {
        func number() throws(BinaryReader.InvalidData) -> Int? {
            let number = try reader.read(UInt32.self)
            return number == 0 ? nil : Int(number)
        }
        var location = EntryLocation(line: try number(), lastLine: try number(), page: try number())
        guard location.isValid else { throw BinaryReader.InvalidData() }
        for _ in 0..<(try reader.count(ofAtLeast: 4)) { location.headings.append(try reader.string()) }
        return location
    }

    /// - Returns: The entries, without vectors.
    static func decodeTexts(_ data: Data, ids: [Entry.ID]) throws -> [Entry] {
        var metadata: [(Int, Data)] = []
        var entries = try reading(data) { reader throws(BinaryReader.InvalidData) in
            func optional() throws(BinaryReader.InvalidData) -> String? {
                try reader.read(UInt8.self) == 0 ? nil : try reader.string()
            }
            var entries: [Entry] = []
            for id in ids {
                var entry = Entry(id: id, content: try reader.string())
                entry.source = try optional()
                let presence = Presence(rawValue: try reader.read())
                guard presence.isSubset(of: [.key, .location, .structure]) else {
                    throw BinaryReader.InvalidData()
                }
                if presence.contains(.key) { entry.key = try reader.string() }
                entry.createdAt = Date(milliseconds: try reader.read())
                entry.updatedAt = Date(milliseconds: try reader.read())
                var tags: [String] = []
                for _ in 0..<(try reader.count(ofAtLeast: 4)) { tags.append(try reader.string()) }
                entry.tags = tags
                let json = try reader.counted()
                if !json.isEmpty { metadata.append((entries.count, Data(json))) }
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
                if presence.contains(.location) { entry.location = try location(&reader) }
                if presence.contains(.structure) {
                    entry.structure = TextStructure(
                        coded: Array(try reader.counted()), length: entry.content.utf8.count)
                    guard entry.structure != nil else { throw BinaryReader.InvalidData() }
                }
                entries.append(entry)
            }
            guard reader.remaining == 0 else { throw BinaryReader.InvalidData() }
            return entries
        }
        let decoder = JSONDecoder()
        for (index, json) in metadata {
            entries[index].metadata = try decoder.decode([String: MetadataValue].self, from: json)
        }
        return entries
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

    /// Returns the components of all vectors, divided into four byte planes: the most significant bytes of
    /// all components come first. The signs and exponents of different components are similar, so their
    /// planes compress well.
    static func encodeVectors(_ entries: [Entry]) -> Data {
        var writer = BinaryWriter()
        var vectors: [[Float]] = []
        for entry in entries {
            let own: Own =
                entry.embeddings.isEmpty
                ? .none : entry.passages.first?.vector == entry.embeddings ? .firstPassage : .stored
            writer.write(own.rawValue)
            let kept = (own == .stored ? [entry.embeddings] : []) + entry.passages.map(\.vector)
            for vector in kept { writer.write(UInt32(vector.count)) }
            vectors += kept
        }
        let total = vectors.reduce(0) { $0 + $1.count }
        let planes = [UInt8](unsafeUninitializedCapacity: 4 * total) { planes, count in
            var offset = 0
            for vector in vectors {
                for number in vector {
                    let bits = number.bitPattern
                    planes[offset] = UInt8(truncatingIfNeeded: bits >> 24)
                    planes[total + offset] = UInt8(truncatingIfNeeded: bits >> 16)
                    planes[2 * total + offset] = UInt8(truncatingIfNeeded: bits >> 8)
                    planes[3 * total + offset] = UInt8(truncatingIfNeeded: bits)
                    offset += 1
                }
            }
            count = 4 * total
        }
        return Data(writer.bytes) + planes
    }

    static func decodeVectors(_ data: Data, into entries: inout [Entry]) throws {
        let counts = entries.map(\.passages.count)
        let vectors = try reading(data) { reader throws(BinaryReader.InvalidData) in
            var owns: [Own] = []
            var lengths: [[Int]] = []
            var total = 0
            for count in counts {
                guard let own = Own(rawValue: try reader.read()) else { throw BinaryReader.InvalidData() }
                owns.append(own)
                var ownLengths: [Int] = []
                for _ in 0..<(count + (own == .stored ? 1 : 0)) {
                    ownLengths.append(Int(try reader.read(UInt32.self)))
                    total += ownLengths.last ?? 0
                }
                guard own != .firstPassage || count > 0 else { throw BinaryReader.InvalidData() }
                lengths.append(ownLengths)
            }
            guard total <= reader.remaining / 4, reader.remaining == 4 * total else {
                throw BinaryReader.InvalidData()
            }
            let planes = try reader.take(4 * total)
            var offset = 0
            return zip(owns, lengths).map { own, lengths in
                let vectors = lengths.map { length in
                    let vector = [Float](unsafeUninitializedCapacity: length) { numbers, count in
                        for column in 0..<length {
                            let index = offset + column
                            let high = UInt32(planes[index]) << 24 | UInt32(planes[total + index]) << 16
                            numbers[column] = Float(
                                bitPattern: high | UInt32(planes[2 * total + index]) << 8
                                    | UInt32(planes[3 * total + index]))
                        }
                        count = length
                    }
                    offset += length
                    return vector
                }
                return (own, vectors)
            }
        }
        for (index, (own, all)) in vectors.enumerated() {
            let passages = own == .stored ? Array(all.dropFirst()) : all
            for (number, vector) in passages.enumerated() { entries[index].passages[number].vector = vector }
            switch own {
            case .none: break
            case .stored: entries[index].embeddings = all[0]
            case .firstPassage: entries[index].embeddings = passages[0]
            }
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
