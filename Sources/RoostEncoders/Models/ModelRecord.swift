import Foundation
import RoostFiles
import RoostModel
import RoostVectors
import Synchronization

/// The checksums of a model's files and the vector of a fixed text, recorded when the model is opened for the
/// first time. Later, they show whether a file has been damaged or replaced.
struct ModelRecord: Codable, Hashable, Sendable {
    /// The name of the file in the model's folder that contains the record.
    static let fileName = ".roost-fingerprint.json"

    var sha256: String
    var size: Int
    /// The time of the last change of the weights' inode, in nanoseconds since 1970. A change of the modification
    /// time changes it too, and programs cannot set it.
    var changedNanoseconds: Int64
    var inode: UInt64
    /// The CRC-32C of the weights, which takes a tenth of the time of the SHA-256.
    var crc32c: UInt32
    /// The CRC-32C of every other file that affects vectors, keyed by name.
    var files: [String: UInt32]
    /// The vectors of the fixed text, keyed by precision.
    var probes: [String: [Float]] = [:]

    private static let documentation: Set<String> = ["README.md", "LICENSE"]
    static let weightsName = "model.safetensors"

    /// Returns the CRC-32C of every file in a folder that affects vectors, except the weights.
    static func checksums(in folder: ModelFolder) throws -> [String: UInt32] {
        var checksums: [String: UInt32] = [:]
        for name in ModelFolder.files
        where name != weightsName && !documentation.contains(name) && folder.has(name) {
            checksums[name] = try folder.contents(of: name).withUnsafeBytes { CRC32C.checksum($0) }
        }
        return checksums
    }
}

extension ModelFolder {
    private var recordURL: URL { url.appendingPathComponent(ModelRecord.fileName) }

    func storedRecord() -> ModelRecord? {
        (try? Data(contentsOf: recordURL)).flatMap { try? JSONDecoder().decode(ModelRecord.self, from: $0) }
    }

    /// Writes a record. In a read-only folder, this has no effect, and all files are read again the next
    /// time.
    func store(_ record: ModelRecord) {
        guard let data = try? JSONEncoder.canonical.encode(record) else { return }
        try? AtomicFile.write(data, to: recordURL)
    }

    /// Compares the files with their record, and creates the record if it does not exist.
    ///
    /// An optional file that was added later is recorded. It changes the fingerprint, and the vector of the
    /// fixed text, which is compared before the model is used, shows whether it changes vectors.
    ///
    /// The weights are read only if their size, inode or time differs from the record.
    func record(of weights: Safetensors) throws -> ModelRecord {
        let stored = storedRecord()
        let current = try checkTextFiles(stored?.files ?? [:])
        let file = weights.file
        var status = stat()
        let isKnown = stat(file.path, &status) == 0
        let change = status.statusChangeTime
        // The number is only compared, so it may wrap around for a time after the year 2262.
        let changedNanoseconds = Int64(change.tv_sec) &* 1_000_000_000 &+ Int64(change.tv_nsec)
        if var stored, isKnown, stored.size == file.bytes.count, stored.inode == UInt64(status.st_ino),
            stored.changedNanoseconds == changedNanoseconds
        {
            guard stored.files != current else { return stored }
            stored.files = current
            store(stored)
            return stored
        }
        try weights.checkNumbers()
        let sha256 = SHA256.hexadecimal(file.bytes)
        if let stored, stored.sha256 != sha256 { throw changed(ModelRecord.weightsName) }
        let record = ModelRecord(
            sha256: sha256, size: file.bytes.count,
            changedNanoseconds: changedNanoseconds, inode: UInt64(status.st_ino),
            crc32c: CRC32C.checksum(file.bytes), files: current, probes: stored?.probes ?? [:])
        store(record)
        return record
    }

    /// Compares all files except the weights with recorded checksums, and returns their checksums. Optional
    /// files can be added.
    fileprivate func checkTextFiles(_ recorded: [String: UInt32]) throws -> [String: UInt32] {
        let current = try ModelRecord.checksums(in: self)
        if let name = recorded.keys.sorted().first(where: { recorded[$0] != current[$0] }) {
            throw changed(name)
        }
        return current
    }

    func changed(_ name: String) -> EmbedderError {
        damaged(
            "\(name) differs from the file that was recorded when the model was first opened; if it was "
                + "changed on purpose, delete \(ModelRecord.fileName) in the model's folder")
    }
}

/// Checks that an open model computes the recorded vectors. All copies of an embedder share one check.
///
/// The size and the times of a file do not show that a disk returned wrong bytes. Therefore, the first use of
/// a model compares the vector of a fixed text with the recorded one, and before texts are embedded for
/// storage, all weights are read and compared with their checksum.
final class ModelCheck: Sendable {
    /// The fixed text of BERT. Its six tokens are embedded together with a short query in the time of the query.
    static let shortText = "Swifts sleep on the wing"

    private let folder: ModelFolder
    private let weights: Safetensors
    private let record: ModelRecord
    private let precision: String

    private struct State {
        var hasCheckedProbe = false
        var hasCheckedBytes = false
    }
    private let state = Mutex(State())

    /// The minimum cosine similarity between the vector of the fixed text and the recorded one. Rounding on
    /// different processors changes the cosine by less than 1e-5 in Float32, and by less than 0.001 with
    /// 8-bit weights.
    private var minimumSimilarity: Float { precision == "int8" ? 0.999 : 0.9999 }

    init(_ folder: ModelFolder, _ weights: Safetensors, _ record: ModelRecord, precision: String) {
        (self.folder, self.weights, self.record, self.precision) = (folder, weights, record, precision)
    }

    /// Checks the model before it is used; later calls return immediately.
    ///
    /// - Parameter compute: Computes the vector of the fixed text.
    func beforeUse(as role: TextRole, _ compute: () async throws -> [Float]) async throws {
        if try requiresProbe(as: role) { try compare(try await compute()) }
    }

    /// Compares the weights with their checksum before texts are embedded for storage.
    ///
    /// - Returns: Whether the vector of the fixed text must be compared.
    func requiresProbe(as role: TextRole) throws -> Bool {
        if role == .document { try checkBytes() }
        return state.withLock { !$0.hasCheckedProbe }
    }

    /// Compares the vector of the fixed text with the recorded one, or records it.
    func compare(_ vector: [Float]) throws {
        if let recorded = record.probes[precision] ?? folder.storedRecord()?.probes[precision] {
            guard recorded.count == vector.count,
                innerProduct(normalized(recorded), normalized(vector)) >= minimumSimilarity
            else {
                throw folder.damaged(
                    "the vector of a fixed text differs from the one that was recorded when the model was "
                        + "first used")
            }
        } else if var stored = folder.storedRecord(), stored.sha256 == record.sha256 {
            // The bytes are checked first, so that the vector of a damaged model is not recorded.
            try checkBytes()
            stored.probes[precision] = vector
            folder.store(stored)
        }
        state.withLock { $0.hasCheckedProbe = true }
    }

    private func checkBytes() throws {
        guard !state.withLock({ $0.hasCheckedBytes }) else { return }
        if CRC32C.checksum(weights.file.bytes) != record.crc32c {
            throw folder.changed(ModelRecord.weightsName)
        }
        state.withLock { $0.hasCheckedBytes = true }
    }

    /// Reads every byte of all files and compares them with the record.
    func checkAllFiles() throws {
        _ = try folder.checkTextFiles(record.files)
        guard SHA256.hexadecimal(weights.file.bytes) == record.sha256 else {
            throw folder.changed(ModelRecord.weightsName)
        }
    }
}
