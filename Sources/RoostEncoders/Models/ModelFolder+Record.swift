import Foundation
import RoostFiles
import RoostModel

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
    ///
    /// - Throws: `EmbedderError` with `.damagedModel` if a file differs from the record or a weight is not
    ///   finite.
    func record(of weights: Safetensors) throws -> ModelRecord {
        let stored = storedRecord()
        let current = try ModelRecord.digests(in: self)
        if let files = stored?.files {
            let names = Set(files.keys).union(current.keys).sorted()
            let changed = names.first { files[$0] != nil && files[$0] != current[$0] }
            if let changed { throw self.changed(changed) }
        }
        var status = stat()
        let isKnown = stat(weights.file.path, &status) == 0
        let change = status.statusChangeTime
        // The number is only compared, so it may wrap around for a time after the year 2262.
        let changedNanoseconds = Int64(change.tv_sec) &* 1_000_000_000 &+ Int64(change.tv_nsec)
        let inode = UInt64(status.st_ino)
        let size = weights.file.bytes.count
        if var stored, isKnown, stored.crc32c != nil, stored.size == size, stored.inode == inode,
            stored.modifiedMilliseconds == weights.file.modifiedMilliseconds,
            stored.changedNanoseconds == changedNanoseconds
        {
            guard stored.files != current else { return stored }
            stored.files = current
            store(stored)
            return stored
        }
        try weights.checkNumbers()
        let sha256 = SHA256.hexadecimal(weights.file.bytes)
        // A record of an older version has no checksums of other files. Then weights with another
        // modification time may have been replaced on purpose.
        if let stored, stored.sha256 != sha256,
            stored.files != nil || stored.modifiedMilliseconds == weights.file.modifiedMilliseconds
        {
            throw changed(ModelRecord.weightsName)
        }
        var record = ModelRecord(
            sha256: sha256, size: size, modifiedMilliseconds: weights.file.modifiedMilliseconds ?? 0)
        record.changedNanoseconds = changedNanoseconds
        record.inode = inode
        record.crc32c = CRC32C.checksum(weights.file.bytes)
        record.files = current
        record.probes = stored?.sha256 == sha256 ? stored?.probes : nil
        if weights.file.modifiedMilliseconds != nil { store(record) }
        return record
    }

    /// Returns the error for a file that differs from its record.
    func changed(_ name: String) -> EmbedderError {
        EmbedderError(
            .damagedModel,
            "the model in \(url.path) is damaged: \(name) differs from the file that was recorded when the "
                + "model was first opened; if it was changed on purpose, delete \(ModelRecord.fileName) in "
                + "the model's folder",
            remedy: .installModel)
    }
}
