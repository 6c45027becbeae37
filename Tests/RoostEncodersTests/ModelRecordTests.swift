import Foundation
import RoostModel
import TestSupport
import Testing

@testable import RoostEncoders

/// Tests with models whose files were damaged or exchanged after they had been opened for the first time.
@Suite(.temporaryFolders) struct ModelRecordTests {
    /// Returns a copy of the model of the fixtures, without a record.
    private func copy() throws -> URL {
        let folder = TemporaryFolder.unusedURL()
        try FileManager.default.copyItem(at: TinyBERT.folder, to: folder)
        try? FileManager.default.removeItem(at: folder.appendingPathComponent(ModelRecord.fileName))
        return folder
    }

    private static func isDamaged(_ error: any Error, _ word: String) -> Bool {
        guard let error = error as? EmbedderError else { return false }
        return error.code == .damagedModel && error.message.contains(word)
    }

    @Test func `an exchanged vocabulary is noticed when the model is opened`() async throws {
        let folder = try copy()
        let intact = try BERTEmbedder(folder: folder)
        _ = try await intact.embed(["a swift"], as: .document)
        let file = folder.appendingPathComponent("vocab.txt")
        let original = try Data(contentsOf: file)
        var lines = String(decoding: original, as: UTF8.self).split(separator: "\n")
        lines.swapAt(lines.count - 1, lines.count - 2)
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
        #expect { try BERTEmbedder(folder: folder) } throws: { Self.isDamaged($0, "vocab.txt") }
        // The embedder that is still open notices it when it checks all files.
        await #expect { try await intact.checkModel() } throws: { Self.isDamaged($0, "vocab.txt") }
        try original.write(to: file)
        let again = try BERTEmbedder(folder: folder)
        try await again.checkModel()
    }

    @Test func `an optional file that is added later is not damage unless it changes vectors`() async throws {
        let folder = try copy()
        let first = try BERTEmbedder(folder: folder)
        let vectors = try await first.embed(["a swift"], as: .document).vectors
        try Data("{}".utf8).write(to: folder.appendingPathComponent("special_tokens_map.json"))
        let second = try BERTEmbedder(folder: folder)
        #expect(try await second.embed(["a swift"], as: .document).vectors == vectors)
        try await second.checkModel()
        // From then on, the file belongs to the model.
        try Data("{ }".utf8).write(to: folder.appendingPathComponent("special_tokens_map.json"))
        #expect { try BERTEmbedder(folder: folder) } throws: { Self.isDamaged($0, "special_tokens_map.json") }
    }

    /// Flips bits in the weights and makes the record look as if size, inode and times were unchanged, as
    /// after a fault of the disk.
    private func damageWeights(_ folder: URL, _ bytes: Range<Int>) throws {
        let url = folder.appendingPathComponent("model.safetensors")
        let handle = try FileHandle(forUpdating: url)
        let size = Int(try handle.seekToEnd())
        for offset in bytes where offset % 4 == 2 {
            try handle.seek(toOffset: UInt64(size - 1 - offset))
            let byte = try #require(try handle.read(upToCount: 1)?.first)
            try handle.seek(toOffset: UInt64(size - 1 - offset))
            try handle.write(contentsOf: Data([byte ^ 0x40]))
        }
        try handle.close()
        let model = try ModelFolder(folder)
        var record = try #require(model.storedRecord())
        var status = stat()
        #expect(stat(url.path, &status) == 0)
        #if canImport(Darwin)
            let change = status.st_ctimespec
        #else
            let change = status.st_ctim
        #endif
        record.changedNanoseconds = Int64(change.tv_sec) * 1_000_000_000 + Int64(change.tv_nsec)
        model.store(record)
    }

    @Test(arguments: [BERTEmbedder.Precision.float32, .int8])
    func `damaged weights with unchanged times are noticed before documents are embedded`(
        precision: BERTEmbedder.Precision
    ) async throws {
        let folder = try copy()
        _ = try await BERTEmbedder(folder: folder, precision: precision).embed(["a swift"], as: .document)
        try damageWeights(folder, 0..<64)
        // Only the size and the times are compared when the model is opened.
        let model = try BERTEmbedder(folder: folder, precision: precision)
        await #expect { try await model.embed(["a swift"], as: .document) } throws: {
            Self.isDamaged($0, "model.safetensors")
        }
        await #expect { try await model.checkModel() } throws: { Self.isDamaged($0, "model.safetensors") }
    }

    @Test func `a model that computes other vectors is not used for queries`() async throws {
        let folder = try copy()
        _ = try await BERTEmbedder(folder: folder).embed(["a swift"], as: .document)
        let model = try ModelFolder(folder)
        var record = try #require(model.storedRecord())
        let probe = try #require(record.probes["float32"])
        #expect(probe.count == (try BERTEmbedder(folder: folder).space.dimension))
        record.probes["float32"] = probe.reversed()
        model.store(record)
        let changed = try BERTEmbedder(folder: folder)
        await #expect { try await changed.embed(["a swift"], as: .query) } throws: {
            Self.isDamaged($0, "fixed text")
        }
    }

    @Test func `changed weights are noticed by their times`() throws {
        let folder = try copy()
        _ = try BERTEmbedder(folder: folder)
        let url = folder.appendingPathComponent("model.safetensors")
        var data = try Data(contentsOf: url)
        data[data.count - 2] ^= 1
        try data.write(to: url)
        #expect { try BERTEmbedder(folder: folder) } throws: { Self.isDamaged($0, "model.safetensors") }
    }

    @Test func `a record of another form is replaced`() throws {
        let folder = try copy()
        let space = try BERTEmbedder(folder: folder).space
        let model = try ModelFolder(folder)
        let record = try #require(model.storedRecord())
        let old = """
            {"sha256": "\(record.sha256)", "size": \(record.size)}
            """
        try Data(old.utf8).write(to: folder.appendingPathComponent(ModelRecord.fileName))
        #expect(try BERTEmbedder(folder: folder).space == space)
        #expect(model.storedRecord()?.files == record.files && record.files["vocab.txt"] != nil)
        #expect(model.storedRecord()?.crc32c == record.crc32c)
    }
}
