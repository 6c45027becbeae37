import Foundation
import RoostFiles
import RoostModel
import Synchronization

/// The boilerplate lines of the last clustering run, and the vectors of the texts without them.
///
/// They are derived from the storage and are kept so that the next run need not embed the texts again. A
/// store with a folder keeps them in the file `index/boilerplate`, which can be deleted at any time.
final class BoilerplateCatalog: Sendable {
    /// The boilerplate lines that a run excluded, with the embeddings it used instead.
    struct Contents: Sendable, Equatable {
        /// The embedding space of the vectors.
        var space: EmbeddingSpace
        /// The lines that were excluded, in ascending order.
        var lines: [String] = []
        /// The digest of each text without boilerplate lines.
        var texts: [ContentDigest] = []
        /// The vectors of the texts, one after the other.
        var elements: [Float] = []
    }

    /// The metadata of the file.
    private struct Metadata: Codable {
        var format: Int
        var space: EmbeddingSpace
        var count: Int
    }

    /// The names of the sections of the file.
    private enum SectionName {
        static let lines = "lines"
        static let texts = "texts"
        static let vectors = "vectors"
    }

    private static let name = "boilerplate"
    private static let format = 1
    private static let digestLength = 32

    /// The folder with the file; `nil` for a store without a folder.
    private let folder: IndexFolder?
    private let memory = Mutex<Contents?>(nil)

    /// Creates the catalog of a store.
    ///
    /// - Parameter store: The store's folder; `nil` to keep the contents in memory only.
    init(of store: URL?) { folder = store.map { IndexFolder(of: $0) } }

    /// Returns the contents; `nil` if there are none, or if they are damaged.
    func load() -> Contents? {
        guard let folder else { return memory.withLock(\.self) }
        guard let (file, metadata) = open(in: folder), let lines = lines(of: file) else { return nil }
        do {
            for name in [SectionName.texts, SectionName.vectors] { try file.verify(name) }
            let texts = try file.section(
                SectionName.texts, of: UInt8.self, count: metadata.count * Self.digestLength)
            let elements = try file.section(
                SectionName.vectors, of: Float.self, count: metadata.count * metadata.space.dimension)
            return Contents(
                space: metadata.space, lines: lines,
                texts: (0..<metadata.count).map { index in
                    let start = index * Self.digestLength
                    return ContentDigest(bytes: Array(texts[start..<start + Self.digestLength]))
                },
                elements: Array(elements))
        } catch {
            return nil
        }
    }

    /// Returns the lines that the last run excluded.
    func lines() -> [String] {
        guard let folder else { return memory.withLock { $0?.lines ?? [] } }
        guard let (file, _) = open(in: folder) else { return [] }
        return lines(of: file) ?? []
    }

    /// Replaces the contents. If the file cannot be written, the next run embeds the texts again.
    func save(_ contents: Contents) async {
        guard let folder else { return memory.withLock { $0 = contents } }
        guard !contents.lines.isEmpty else {
            try? FileSystem.standard.unlink(folder.file(Self.name).path)
            return
        }
        let metadata = Metadata(format: Self.format, space: contents.space, count: contents.texts.count)
        guard let description = try? JSONEncoder().encode(metadata),
            let lines = try? JSONEncoder().encode(contents.lines)
        else { return }
        try? await folder.replace(Self.name) { url in
            let texts = contents.texts.flatMap(\.bytes)
            try lines.withUnsafeBytes { lines in
                try texts.withUnsafeBytes { texts in
                    try contents.elements.withUnsafeBytes { elements in
                        try SectionFile.write(
                            to: url, metadata: description,
                            sections: [
                                (SectionName.lines, lines), (SectionName.texts, texts),
                                (SectionName.vectors, elements),
                            ])
                    }
                }
            }
        }
    }

    private func open(in folder: IndexFolder) -> (SectionFile, Metadata)? {
        let url = folder.file(Self.name)
        guard FileManager.default.fileExists(atPath: url.path), let file = try? SectionFile(url),
            let metadata = try? JSONDecoder().decode(Metadata.self, from: file.metadata),
            metadata.format == Self.format, (0...Int(UInt32.max)).contains(metadata.count)
        else { return nil }
        return (file, metadata)
    }

    private func lines(of file: SectionFile) -> [String]? {
        do {
            try file.verify(SectionName.lines)
            return try JSONDecoder().decode([String].self, from: Data(try file.section(SectionName.lines)))
        } catch {
            return nil
        }
    }
}
