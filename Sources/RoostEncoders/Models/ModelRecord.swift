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
    var modifiedMilliseconds: Int64
    /// The time of the last change of the weights' inode, in nanoseconds since 1970. Unlike the modification
    /// time, programs cannot set it.
    var changedNanoseconds: Int64
    var inode: UInt64
    /// The CRC-32C of the weights, which takes a tenth of the time of the SHA-256.
    var crc32c: UInt32
    /// The SHA-256 of every other file that affects vectors, keyed by name.
    var files: [String: String]
    /// The vectors of the fixed text as Base64 of little-endian Float32, keyed by precision.
    var probes: [String: String]?

    private static let documentation: Set<String> = ["README.md", "LICENSE"]
    static let weightsName = "model.safetensors"

    /// Returns the SHA-256 of every file in a folder that affects vectors, except the weights.
    static func digests(in folder: ModelFolder) throws -> [String: String] {
        var digests: [String: String] = [:]
        for name in ModelFolder.files
        where name != weightsName && !documentation.contains(name) && folder.has(name) {
            digests[name] = SHA256.hexadecimal(try folder.contents(of: name))
        }
        return digests
    }

    /// Returns the recorded vector of the fixed text; `nil` if no vector is recorded.
    func probe(_ precision: String) -> [Float]? {
        guard let text = probes?[precision], let data = Data(base64Encoded: text), data.count % 4 == 0
        else { return nil }
        return (0..<data.count / 4).map { index in
            Float(
                bitPattern: (0..<4).reduce(0) {
                    $0 | UInt32(data[data.startIndex + 4 * index + $1]) << UInt32(8 * $1)
                })
        }
    }

    mutating func setProbe(_ vector: [Float], _ precision: String) {
        let bytes = vector.flatMap { number in
            withUnsafeBytes(of: number.bitPattern.littleEndian) { Array($0) }
        }
        probes = (probes ?? [:]).merging([precision: Data(bytes).base64EncodedString()]) { $1 }
    }
}

extension ModelFolder {
    private var recordURL: URL { url.appendingPathComponent(ModelRecord.fileName) }

    /// Returns the stored record; `nil` if it does not exist or is damaged.
    func storedRecord() -> ModelRecord? {
        (try? Data(contentsOf: recordURL)).flatMap { try? JSONDecoder().decode(ModelRecord.self, from: $0) }
    }

    /// Writes a record. In a read-only folder, this has no effect, and all files are read again the next
    /// time.
    func store(_ record: ModelRecord) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        if let data = try? encoder.encode(record) { try? AtomicFile.write(data, to: recordURL) }
    }

    /// Compares the files with their record, and creates the record if it does not exist.
    ///
    /// An optional file that was added later is recorded. It changes the fingerprint, and the vector of the
    /// fixed text, which is compared before the model is used, shows whether it changes vectors.
    ///
    /// The weights are read only if their size, inode or one of their times differs from the record.
    func record(of weights: Safetensors) throws -> ModelRecord {
        let stored = storedRecord()
        let current = try ModelRecord.digests(in: self)
        if let files = stored?.files,
            let changed = files.keys.sorted().first(where: { files[$0] != current[$0] })
        {
            throw self.changed(changed)
        }
        let file = weights.file
        var status = stat()
        let isKnown = stat(file.path, &status) == 0
        let change = status.statusChangeTime
        // The number is only compared, so it may wrap around for a time after the year 2262.
        let changedNanoseconds = Int64(change.tv_sec) &* 1_000_000_000 &+ Int64(change.tv_nsec)
        if var stored, isKnown, stored.size == file.bytes.count, stored.inode == UInt64(status.st_ino),
            stored.modifiedMilliseconds == file.modifiedMilliseconds,
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
            sha256: sha256, size: file.bytes.count, modifiedMilliseconds: file.modifiedMilliseconds,
            changedNanoseconds: changedNanoseconds, inode: UInt64(status.st_ino),
            crc32c: CRC32C.checksum(file.bytes), files: current, probes: stored?.probes)
        store(record)
        return record
    }

    func changed(_ name: String) -> EmbedderError {
        EmbedderError(
            .damagedModel,
            "the model in \(url.path) is damaged: \(name) differs from the file that was recorded when the "
                + "model was first opened; if it was changed on purpose, delete \(ModelRecord.fileName) in "
                + "the model's folder",
            remedy: .installModel)
    }
}

/// Checks that an open model computes the recorded vectors. All copies of an embedder share one check.
///
/// The size and the times of a file do not show that a disk returned wrong bytes. Therefore, the first use of
/// a model compares the vector of a fixed text with the recorded one, and before texts are embedded for
/// storage, all weights are read and compared with their checksum.
final class ModelCheck: Sendable {
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
    func beforeUse(as role: TextRole, _ compute: () async throws -> [Float]) async throws {
        let done = state.withLock { $0 }
        if role == .document, !done.hasCheckedBytes { try checkBytes() }
        guard !done.hasCheckedProbe else { return }
        let vector = try await compute()
        if let recorded = folder.storedRecord()?.probe(precision) {
            guard recorded.count == vector.count,
                innerProduct(normalized(recorded), normalized(vector)) >= minimumSimilarity
            else {
                throw EmbedderError(
                    .damagedModel,
                    "the model in \(folder.url.path) is damaged: the vector of a fixed text differs from the "
                        + "one that was recorded when the model was first used",
                    remedy: .installModel)
            }
        } else if var stored = folder.storedRecord(), stored.sha256 == record.sha256 {
            // The bytes are checked first, so that the vector of a damaged model is not recorded.
            try checkBytes()
            stored.setProbe(vector, precision)
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
        let current = try ModelRecord.digests(in: folder)
        let recorded = record.files
        // Optional files can be added.
        if let name = recorded.keys.sorted().first(where: { recorded[$0] != current[$0] }) {
            throw folder.changed(name)
        }
        guard SHA256.hexadecimal(weights.file.bytes) == record.sha256 else {
            throw folder.changed(ModelRecord.weightsName)
        }
    }
}
