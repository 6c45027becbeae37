import Foundation
import RoostFiles
import RoostModel

/// The list of the models with which the vectors of a store were computed, in the file `models.jsonl`.
///
/// A line is added before the first commit with a model whose files differ from those of the previous line.
/// All commits after the line's revision were made with its model, up to the revision of the next line. If
/// the files of a model turn out to have been damaged, the entries of these commits can be found and embedded
/// again.
struct EmbeddingLog: Sendable {
    /// The store's folder.
    let directory: URL

    private static let fileName = "models.jsonl"

    /// The maximum size of the file in bytes. A line is written only when a model changes, so a larger file
    /// was not written by Roost.
    private static let maximumSize = 1 << 20

    /// One line of the file.
    struct Record: Codable, Hashable {
        /// The fingerprint of the model (`Embedder/fingerprint`).
        var fingerprint: String
        /// The name of the model, for messages.
        var model: String
        /// The revision before the first commit with the model.
        var after: Revision
        /// The time at which the line was written, in milliseconds since 1970.
        var date: Int64
        /// `true` if all vectors of the store, at the revision ``after``, were compared with those that the
        /// model computes, and were equal or computed again.
        var isVerified: Bool?
    }

    /// The identity of the file, which changes with every line; `nil` if there is no file.
    var identity: FileIdentity? { FileIdentity(url) }

    private var url: URL { directory.appendingPathComponent(Self.fileName) }

    /// The lines of the file, oldest first. Damaged lines are omitted.
    var records: [Record] {
        guard let data = try? Data(contentsOf: url), data.count <= Self.maximumSize else { return [] }
        return data.split(separator: UInt8(ascii: "\n")).compactMap {
            try? JSONDecoder().decode(Record.self, from: $0)
        }
    }

    /// Adds a line unless the last one has the same fingerprint.
    ///
    /// - Throws: `StorageError`.
    func record(_ fingerprint: String, of model: String, after revision: Revision) throws {
        guard records.last?.fingerprint != fingerprint else { return }
        try append(
            Record(fingerprint: fingerprint, model: model, after: revision, date: Date().milliseconds))
    }

    /// Records that all vectors at a revision are those of a model.
    ///
    /// - Throws: `StorageError`.
    func recordVerification(by fingerprint: String, of model: String, at revision: Revision) throws {
        try append(
            Record(
                fingerprint: fingerprint, model: model, after: revision, date: Date().milliseconds,
                isVerified: true))
    }

    private func append(_ record: Record) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let line = try encoder.encode(record) + Data("\n".utf8)
        try StorageError.mappingFileErrors {
            // Appending preserves the lines that other processes add at the same time, and lines that
            // cannot be read now.
            let file = try FileDescriptor(url.path, O_WRONLY | O_APPEND | O_CREAT)
            // The line feed ends a line that was written only in part. Empty lines are ignored.
            let separator = try file.size() > 0 ? Data("\n".utf8) : Data()
            try (separator + line).withUnsafeBytes { try file.write($0) }
            try file.synchronize()
            try FileSystem.standard.synchronizeFolder(directory)
        }
    }

    /// Copies the file to another store's folder. Does nothing if the file does not exist.
    ///
    /// - Throws: `StorageError`.
    func copy(to folder: URL) throws {
        guard identity != nil, let data = try? Data(contentsOf: url) else { return }
        try StorageError.mappingFileErrors {
            try AtomicFile.write(data, to: EmbeddingLog(directory: folder).url)
        }
    }

    /// Returns the revision after which vectors may have been stored that other models computed; `nil` if
    /// there are none.
    ///
    /// - Parameter fingerprint: The fingerprint of the present model.
    func firstRevision(notOnlyOf fingerprint: String) -> Revision? {
        let records = records
        let verified = records.lastIndex { $0.isVerified == true && $0.fingerprint == fingerprint }
        return records[(verified ?? records.startIndex)...].filter { $0.fingerprint != fingerprint }
            .map(\.after).min()
    }
}
