import Foundation
import RoostFiles
import RoostModel
import RoostText

/// The index file for words, `index/words`: for each word the entries in which it occurs.
struct TextFile: Sendable {
    static let name = "words"

    let metadata: IndexMetadata
    let index: InvertedIndex
    let rows: IndexRows
    /// The size of the file in bytes.
    let size: Int

    /// Opens the file of a store.
    ///
    /// - Parameters:
    ///   - stamp: The current state of the store.
    ///   - verifying: Whether the checksums of the sections are verified.
    /// - Returns: `nil` if the file does not exist, was built from another history of the store, or contains
    ///   the words of another version of the analysis.
    /// - Throws: `SectionFile/Unusable` if it is damaged; `FileError`.
    init?(in directory: URL, for stamp: Stamp, verifying: Bool = true) throws {
        guard let opened = try IndexFolder(of: directory).open(Self.name, for: stamp),
            opened.metadata.analysis == TextAnalysis.version
        else { return nil }
        let file = opened.file
        metadata = opened.metadata
        size = file.size
        rows = try IndexRows(file, count: metadata.count, hasOrdinals: false)
        if verifying { for section in InvertedIndex.sections { try file.verify(section) } }
        do {
            index = try InvertedIndex(owner: file) { try file.section($0) }
        } catch is InvertedIndex.Malformed {
            throw file.checksumMismatch
        }
        guard index.documentCount == metadata.count else { throw file.checksumMismatch }
    }

    /// Writes the words of a snapshot. Removes the file if the snapshot is empty.
    ///
    /// - Returns: The metadata of the file; `nil` if the snapshot is empty.
    /// - Throws: `StorageError`; `CancellationError`. An existing file is then unchanged.
    @concurrent
    static func write(_ snapshot: any StorageSnapshot, in directory: URL) async throws -> IndexMetadata? {
        let texts = try await IndexedTexts(of: snapshot, matching: .all)
        let folder = IndexFolder(of: directory)
        guard !texts.ids.isEmpty else {
            try await folder.remove(name, unlessNewerThan: snapshot.stamp)
            return nil
        }
        var metadata = IndexMetadata(of: snapshot.stamp, count: texts.ids.count)
        metadata.analysis = TextAnalysis.version
        let (entryRows, ids) = (texts.entryRows.map(\.littleEndian), texts.ids.map(\.uuid))
        try await folder.publish(name, metadata) { url, description in
            try entryRows.withUnsafeBytes { entryRows in
                try ids.withUnsafeBytes { ids in
                    try texts.index.withSections { sections in
                        try SectionFile.write(
                            to: url, metadata: description,
                            sections: [("entryRows", entryRows), ("ids", ids)] + sections)
                    }
                }
            }
        }
        return metadata
    }
}
