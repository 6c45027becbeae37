import Foundation
import RoostFiles
import RoostModel
import RoostVectors
import TestSupport
import Testing

@testable import RoostChunks

/// Decoders accept exactly the encodings of valid values.
struct SegmentCodecTests {
    private let entries = (0..<20).map { BackupMaterial.entry($0) }
    private var ids: [Entry.ID] { entries.map(\.id) }

    private let assignments = (0..<20).map { number -> Assignment? in
        guard number % 3 != 0 else { return nil }
        return Assignment(
            entry: BackupMaterial.entry(number).id,
            target: number % 2 == 0 ? .cluster(UUID()) : .outlier(.distant),
            run: number % 5 == 0 ? nil : UUID(), similarity: 0.5, confidence: 0.25)
    }

    private static func name(_ byte: UInt8) -> SegmentID { SegmentID([UInt8](repeating: byte, count: 32)) }

    private let runs = (1..<6).map { number in
        RunRecord(
            ids: Self.name(UInt8(number)), entries: Self.name(21), vectors: Self.name(22),
            assignments: number % 2 == 0 ? nil : Self.name(23), count: number)
    }

    private let packs = (1..<4).map { number in
        PackContents(name: Self.name(UInt8(number)), segments: (0..<number).map { Self.packedSegment($0) })
    }

    private static func packedSegment(_ index: Int) -> (id: SegmentID, location: SegmentLocation) {
        let location = SegmentLocation(
            kind: .entries, offset: 10 * index, storedSize: 10, size: index == 0 ? 10 : 20)
        return (name(UInt8(40 + index)), location)
    }

    private let documents = (1..<5).map { number in
        OriginalRecord(
            digest: Self.name(UInt8(number)), size: (number - 1) * OriginalRecord.maximumPartSize + 1,
            parts: (0..<number).map { Self.name(UInt8($0)) })
    }

    @Test func `metadata has the bytes that an encoder writes`() throws {
        var entry = BackupMaterial.entry(1)
        entry.location = nil
        let numbers = MetadataValue.array([.number(1.5), .integer(2), .number(1e21), .bool(true), .null])
        entry.metadata = ["b/c": .string("\u{1}é\"\\\n"), "B": numbers, "a9": .object(["ä": .number(-0.1)])]
        let json = try JSONEncoder.canonical.encode(["metadata": entry.metadata])
        #expect(try EntryCodec.encodeTexts([entry]).range(of: json) != nil)
    }

    /// Checks that a decoder rejects every truncated encoding, and an encoding that is followed by extra bytes.
    private func requireExact(
        _ encoding: Data, sourceLocation: SourceLocation = #_sourceLocation,
        _ decode: (Data) throws -> Void
    ) {
        #expect(throws: Never.self, sourceLocation: sourceLocation) { try decode(encoding) }
        for length in 0..<encoding.count {
            #expect(throws: BinaryReader.InvalidData.self, "\(length) bytes", sourceLocation: sourceLocation)
            {
                try decode(encoding.prefix(length))
            }
        }
        #expect(throws: BinaryReader.InvalidData.self, "extended", sourceLocation: sourceLocation) {
            try decode(encoding + [0])
        }
    }

    /// Checks that a decoder of a list accepts only truncations at the end of an element, and that it returns
    /// the elements before it.
    private func requirePrefixes<Element: Equatable>(
        _ encoding: Data, of elements: [Element], sourceLocation: SourceLocation = #_sourceLocation,
        _ decode: (Data) throws -> [Element]
    ) {
        var accepted = 0
        for length in 0...encoding.count {
            guard let decoded = try? decode(encoding.prefix(length)) else { continue }
            #expect(decoded == Array(elements.prefix(accepted)), sourceLocation: sourceLocation)
            accepted += 1
        }
        #expect(accepted == elements.count + 1, sourceLocation: sourceLocation)
    }

    @Test func `truncated and extended encodings of runs are rejected`() throws {
        let (ids, entries) = (ids, entries)
        requireExact(try EntryCodec.encodeTexts(entries)) { _ = try EntryCodec.decodeTexts($0, ids: ids) }
        requireExact(EntryCodec.encodeVectors(entries)) { data in
            var copy = entries
            try EntryCodec.decodeVectors(data, into: &copy)
        }
        requireExact(EntryCodec.encodeAssignments(assignments)) {
            _ = try EntryCodec.decodeAssignments($0, ids: ids)
        }
        requireExact(try PackIndexCodec.encode(packs)) { _ = try PackIndexCodec.decode($0) }
        requirePrefixes(EntryCodec.encodeIDs(entries), of: ids, EntryCodec.decodeIDs)
    }

    /// Larger numbers would overflow when they are added.
    @Test(arguments: [-1, 0, 257, .max])
    func `a run with an impossible number of entries is damaged`(count: Int) throws {
        #expect(runs.allSatisfy { $0.isValid })
        var run = runs[0]
        run.count = count
        #expect(!run.isValid)
    }

    @Test(arguments: [-1, 0, (1 << 40) + 1, .max])
    func `an original file with an impossible size is damaged`(size: Int) {
        #expect(documents.allSatisfy { $0.isValid })
        var record = documents[1]
        record.size = size
        #expect(!record.isValid)
    }

    @Test func `entries with a large structure are read and stored in small numbers`() {
        let links = (0..<50_000).map { DocumentLink(kind: .wiki, target: "note \($0)") }
        var entry = BackupMaterial.entry(1)
        let size = BackupRepository.pageSize(after: [entry])
        entry.structure = TextStructure(links: links)
        #expect(BackupRepository.pageSize(after: [entry]) < size / 10)
        var cutter = RunCutter()
        #expect(cutter.add(entry)?.count == 1)
    }

    /// The values of an entry that encoding and decoding must preserve even if they come from a damaged
    /// encoding. Dates and JSON numbers are omitted, because extreme ones lose precision.
    private struct Values: Equatable {
        var texts: [String?]
        var tags: [String]
        var ranges: [Range<Int>]
        var vectors: [[UInt32]]
        var location: EntryLocation?

        init(_ entry: Entry) {
            texts = [entry.content, entry.source, entry.key]
            tags = entry.tags
            ranges = entry.passages.map(\.utf8Range)
            location = entry.location
            vectors = ([entry.embeddings] + entry.passages.map(\.vector)).map { $0.map(\.bitPattern) }
        }
    }

    @Test func `decoders of random bytes throw or return values that can be encoded`() throws {
        var generator = Seeded(state: 53)
        let encodings = [
            EntryCodec.encodeIDs(entries), try EntryCodec.encodeTexts(entries),
            EntryCodec.encodeVectors(entries), EntryCodec.encodeAssignments(assignments),
            try PackIndexCodec.encode(packs),
        ]
        for encoding in encodings {
            for _ in 0..<400 {
                var bytes = encoding
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    bytes[Int.random(in: 0..<bytes.count, using: &generator)] =
                        .random(in: 0...255, using: &generator)
                }
                if Bool.random(using: &generator) {
                    bytes = bytes.prefix(Int.random(in: 0...bytes.count, using: &generator))
                }
                try check(bytes)
            }
        }
    }

    /// Decodes bytes with every decoder. Each must throw one of its documented errors or return valid values.
    private func check(_ bytes: Data) throws {
        func decoded<Value>(_ decode: () throws -> Value) throws -> Value? {
            do {
                return try decode()
            } catch is BinaryReader.InvalidData {
                return nil
            } catch is DecodingError {
                return nil
            }
        }
        let ids = ids
        if let decodedIDs = try decoded({ try EntryCodec.decodeIDs(bytes) }) {
            #expect(16 * decodedIDs.count == bytes.count)
        }
        if let texts = try decoded({ try EntryCodec.decodeTexts(bytes, ids: ids) }) {
            #expect(texts.map(\.id) == ids)
            for entry in texts {
                let size = entry.content.utf8.count
                #expect(entry.passages.allSatisfy { $0.utf8Range.upperBound <= size })
            }
            let again = try EntryCodec.decodeTexts(try EntryCodec.encodeTexts(texts), ids: ids)
            #expect(again.map(Values.init) == texts.map(Values.init))
        }
        var entries = entries
        if try decoded({ try EntryCodec.decodeVectors(bytes, into: &entries) }) != nil {
            var again = entries
            try EntryCodec.decodeVectors(EntryCodec.encodeVectors(entries), into: &again)
            #expect(again.map(Values.init) == entries.map(Values.init))
        }
        if let assignments = try decoded({ try EntryCodec.decodeAssignments(bytes, ids: ids) }) {
            #expect(Set(assignments.map(\.entry)).isSubset(of: ids) && assignments.count <= ids.count)
        }
        if let packs = try decoded({ try PackIndexCodec.decode(bytes) }) {
            let sizes = packs.flatMap(\.segments).map { max($0.location.size, $0.location.storedSize) }
            #expect(sizes.allSatisfy { 0...SegmentLocation.maximumSize ~= $0 })
        }
    }
}
