import Foundation
import RoostFiles
import RoostModel
import RoostVectors

/// The index file with the vectors of all passages, `index/passages`. ``PassageVectors`` builds and opens the
/// index over them.
struct PassageFile: Sendable {
    static let name = "passages"

    let folder: IndexFolder
    let metadata: IndexMetadata
    let vectors: VectorRows
    let rows: IndexRows
    let size: Int

    /// Opens the file of a store. The checksums of the vectors are not verified here, but by the searches
    /// that read them.
    init?(in folder: IndexFolder, for stamp: Stamp) throws {
        self.folder = folder
        guard let opened = try folder.open(Self.name, for: stamp) else { return nil }
        metadata = opened.metadata
        guard let dimension = metadata.dimension else {
            throw SectionFile.Unusable(
                description: "index file \(folder.file(Self.name).path) does not state its dimension")
        }
        size = opened.file.size
        rows = try IndexRows(opened.file, count: metadata.count, hasOrdinals: true)
        vectors = try VectorRows(
            opened.file, section: "vectors", count: metadata.count, dimension: dimension)
    }

    /// Returns, for each row, the row of the same passage in an earlier file with vectors of the same dimension; `nil` if
    /// the passage is new or its vector has changed.
    ///
    /// - Throws: `SectionFile/Unusable` if the earlier file is damaged.
    func origins(in earlier: PassageFile) throws -> [UInt32?] {
        var start = 0
        return try (0..<rows.count).map { row in
            if rows.entryRows[row] != rows.entryRows[start] { start = row }
            guard let first = earlier.rows.firstRow(ofEntryRow: rows.entryRows[row]) else { return nil }
            // The passages of an entry are consecutive.
            let origin = first + row - start
            guard origin < earlier.rows.count, earlier.rows.ids[origin] == rows.ids[row],
                earlier.rows.ordinals[origin] == rows.ordinals[row]
            else { return nil }
            let isEqual = try earlier.vectors.withVerifiedRow(origin) { old in
                vectors.withRow(row) { memcmp(old.baseAddress!, $0.baseAddress!, 4 * $0.count) == 0 }
            }
            return isEqual ? UInt32(origin) : nil
        }
    }

    /// Returns the number of passages in the written file.
    @concurrent
    static func write(_ snapshot: any StorageSnapshot, in folder: IndexFolder) async throws -> Int {
        // The vectors can be larger than memory.
        let vectors = try StorageError.mappingFileErrors { try folder.temporaryFile() }
        var (rows, sample) = (IndexRows(), PassageSample())
        var dimension = 0
        for try await page in snapshot.vectorPages(of: .passages) {
            let page = page.comparable
            for row in page.rows.indices {
                sample.add(
                    page.ids[row], Int(page.ordinals[row]), row: rows.count + row, page.vectors.row(row))
            }
            rows.append(page)
            try StorageError.mappingFileErrors {
                try page.vectors.elements.withUnsafeBytes { try vectors.write($0) }
            }
            if page.vectors.rows > 0 { dimension = page.vectors.columns }
        }
        var metadata = IndexMetadata(of: snapshot.stamp, count: rows.count, dimension: dimension)
        let statistics = PassageStatistics(of: &sample)
        metadata.pairs = statistics.pairs
        metadata.sample = statistics.hubs.rows
        try await folder.publish(name, metadata) { [rows, vectors] url, description in
            let mapped = try MappedFile(vectors)
            try withExtendedLifetime(mapped) {
                try rows.withSections { sections in
                    try SectionFile.write(
                        to: url, metadata: description, sections: sections + [("vectors", mapped.bytes)])
                }
            }
        }
        return metadata.count
    }
}
