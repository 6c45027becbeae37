import Foundation
import RoostFiles
import Synchronization
import TestSupport
import Testing

@testable import RoostChunks

/// Writes are atomic, files are private, and only chunks are listed.
@Suite(.temporaryFolders) struct FileSystemRetrievalTests {
    private let folder = TemporaryFolder.unusedURL()

    @Test func `files are private and stored in Git-style folders`() async throws {
        let storage = ComposableFileSystemChunkStorage(baseURL: folder)
        let identifier = ChunkIdentifier(id: "a1b2c3d4")
        try await storage.writeChunk(
            Data("x".utf8), identifier: identifier,
            metadata: ChunkMetadata(size: 1, contentType: "text/plain"))
        #expect(try await storage.metadata(of: identifier)?.contentType == "text/plain")
        let file = folder.appendingPathComponent("a1/b2/a1b2c3d4").path
        func mode(_ path: String) throws -> Int {
            try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
        }
        #expect(try mode(file) == 0o600)
        #expect(try mode(folder.appendingPathComponent("a1/b2").path) == 0o700)
        #expect(GitStyleOrganization(directoryDepth: 3).storagePath(for: identifier) == "a1/b2/c3/a1b2c3d4")
        #expect(FlatOrganization().storagePath(for: identifier) == "a1b2c3d4")
    }

    @Test func `a write that fails at any step keeps the old chunk and leaves no partial one`() async throws {
        for isNew in [true, false] {
            var step = 0
            while try await !writeSucceeds(failingAt: step, isNew: isNew) { step += 1 }
            #expect(step > 8)
        }
    }

    /// Writes a chunk with a fault at one step, and checks that either the old or the new chunk exists afterwards.
    ///
    /// - Returns: Whether the write succeeded because it has fewer steps, so the fault did not occur.
    private func writeSucceeds(failingAt step: Int, isNew: Bool) async throws -> Bool {
        let seen = Mutex(0)
        let faulty = FileSystem { _ in
            seen.withLock { count in
                count += 1
                return count == step + 1 ? .error(ENOSPC) : nil
            }
        }
        let folder = TemporaryFolder.unusedURL()
        let reliable = FileSystemRetrieval(baseURL: folder)
        if !isNew { try await reliable.writeChunk(Data("old".utf8), at: "ab/x", metadata: nil) }
        let retrieval = FileSystemRetrieval(baseURL: folder, files: faulty)
        do {
            try await retrieval.writeChunk(Data("new".utf8), at: "ab/x", metadata: ChunkMetadata(size: 3))
            if seen.withLock({ $0 }) <= step { return true }
        } catch ChunkStorageError.storageFull {}
        let found = try await reliable.readChunk(at: "ab/x")
        let old = isNew ? nil : Data("old".utf8)
        #expect(found == old || found == Data("new".utf8), "step \(step)")
        #expect(try await reliable.paths(in: "") == (found == nil ? [] : ["ab/x"]))
        return false
    }

    @Test(arguments: [true, false])
    func `a process that loses the race for a chunk changes nothing`(hasMetadata: Bool) async throws {
        let prepared = TemporaryFolder.unusedURL()
        let winning = ChunkMetadata(size: 3, custom: ["of": "the winner"])
        try await FileSystemRetrieval(baseURL: prepared)
            .writeChunk(Data("won".utf8), at: "ab/x", metadata: winning)
        let isCopied = Mutex(false)
        // The other process creates the chunk right before this one does.
        let files = FileSystem { step in
            guard step.kind == .link else { return nil }
            let manager = FileManager.default
            for name in [".metadata/ab/x.json", "ab/x"] {
                let target = folder.appendingPathComponent(name)
                try? manager.createDirectory(
                    at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
                try? manager.copyItem(at: prepared.appendingPathComponent(name), to: target)
            }
            isCopied.withLock { $0 = true }
            return nil
        }
        let losing = hasMetadata ? ChunkMetadata(size: 4, custom: ["of": "the loser"]) : nil
        let isCreated = try await FileSystemRetrieval(baseURL: folder, files: files)
            .createChunk(Data("lost".utf8), at: "ab/x", metadata: losing)
        #expect(!isCreated && isCopied.withLock { $0 })
        let retrieval = FileSystemRetrieval(baseURL: folder)
        #expect(try await retrieval.readChunk(at: "ab/x") == Data("won".utf8))
        #expect(try await retrieval.metadata(at: "ab/x") == winning)
    }

    @Test func `a chunk that cannot be created completely is not created`() async throws {
        for step in 0... {
            let seen = Mutex(0)
            let files = FileSystem { _ in
                seen.withLock { count in
                    count += 1
                    return count == step + 1 ? .error(ENOSPC) : nil
                }
            }
            let folder = TemporaryFolder.unusedURL()
            do {
                let isNew = try await FileSystemRetrieval(baseURL: folder, files: files)
                    .createChunk(Data("new".utf8), at: "ab/x", metadata: ChunkMetadata(size: 3))
                #expect(isNew)
                if seen.withLock({ $0 }) <= step {
                    #expect(step > 8)
                    return
                }
            } catch ChunkStorageError.storageFull {}
            let retrieval = FileSystemRetrieval(baseURL: folder)
            // If the chunk exists, only the synchronization of its folder has failed.
            guard try await retrieval.presence(at: "ab/x") else { continue }
            #expect(try await retrieval.readChunk(at: "ab/x") == Data("new".utf8))
        }
    }

    @Test func `a failed write has the error of its cause`() async throws {
        func error(_ errno: Int32) async throws -> ChunkStorageError? {
            let retrieval = FileSystemRetrieval(
                baseURL: TemporaryFolder.unusedURL(), files: FileSystem { _ in .error(errno) })
            return await #expect(throws: ChunkStorageError.self) {
                try await retrieval.writeChunk(Data("x".utf8), at: "ab/x", metadata: nil)
            }
        }
        #expect(try await error(EROFS) == .readOnly)
        for errno in [ENOSPC, EDQUOT, EFBIG] {
            guard case .storageFull = try await error(errno) else {
                Issue.record("\(errno)")
                continue
            }
        }
        guard case .storageUnavailable = try await error(EACCES) else {
            Issue.record("EACCES")
            return
        }
    }

    @Test func `an unreadable chunk is not reported as missing`() async throws {
        let storage = ComposableFileSystemChunkStorage(baseURL: folder)
        let identifier = ChunkIdentifier(id: "a1b2c3")
        try await storage.writeChunk(Data("x".utf8), identifier: identifier, metadata: nil)
        // A cyclic symbolic link cannot be resolved, even with root permissions.
        let level = folder.appendingPathComponent("a1/b2")
        try FileManager.default.removeItem(at: level)
        try FileManager.default.createSymbolicLink(atPath: level.path, withDestinationPath: level.path)
        let existence = try #require(storage.existence)
        await #expect(throws: ChunkStorageError.self) { try await storage.chunkExists(identifier) }
        await #expect(throws: ChunkStorageError.self) { try await storage.readChunk(identifier) }
        await #expect(throws: ChunkStorageError.self) {
            try await storage.retrieval.presence(at: "a1/b2/a1b2c3")
        }
        #expect(await !existence.chunkExists(identifier: identifier))
        #expect(await existence.chunkExists(identifiers: [identifier]) == [identifier: false])
        #expect(await !storage.retrieval.chunkExists(at: "a1/b2/a1b2c3"))
    }

    @Test(.timeLimit(.minutes(1))) func `a pipe or folder in place of a chunk is an error`() async throws {
        let retrieval = FileSystemRetrieval(baseURL: folder)
        try await retrieval.writeChunk(Data("x".utf8), at: "ab/x", metadata: nil)
        // Without a writer, a pipe that is opened for reading waits.
        #expect(mkfifo(folder.appendingPathComponent("ab/pipe").path, 0o600) == 0)
        for path in ["ab/pipe", "ab"] {
            await #expect(throws: ChunkStorageError.self) { try await retrieval.readChunk(at: path) }
        }
    }

    @Test func `symbolic links and folders are not chunks`() async throws {
        let retrieval = FileSystemRetrieval(baseURL: folder)
        try await retrieval.writeChunk(Data("x".utf8), at: "ab/x", metadata: nil)
        let link = folder.appendingPathComponent("ab/link").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/etc/hostname")
        await #expect(throws: ChunkStorageError.self) { try await retrieval.readChunk(at: "ab/link") }
        #expect(try await !retrieval.presence(at: "ab/link"))
        #expect(try await !retrieval.presence(at: "ab"))
        #expect(try await retrieval.paths(in: "") == ["ab/x"])
        await #expect(throws: ChunkStorageError.self) {
            try await retrieval.writeChunk(Data(), at: "ab/x/below", metadata: nil)
        }
    }

    @Test func `empty and overlong identifiers are rejected`() async throws {
        let storage = ComposableFileSystemChunkStorage(baseURL: folder)
        for invalid in ["", String(repeating: "x", count: 5000)] {
            let identifier = ChunkIdentifier(id: invalid)
            await #expect(throws: ChunkStorageError.self) {
                try await storage.writeChunk(Data(), identifier: identifier, metadata: nil)
            }
            await #expect(throws: ChunkStorageError.self) { try await storage.readChunk(identifier) }
            await #expect(throws: ChunkStorageError.self) { try await storage.chunkExists(identifier) }
        }
        let long = ChunkIdentifier(id: String(repeating: "é/", count: 300))
        try await storage.writeChunk(Data("x".utf8), identifier: long, metadata: nil)
        #expect(try await storage.readChunk(long) == Data("x".utf8))
        #expect(try await storage.retrieval.paths(in: "").count == 1)
    }
}
