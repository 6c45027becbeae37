import Foundation
import RoostFiles
import Synchronization
import Testing

@testable import RoostChunks

/// Chunks as files: whole or not at all, private, and nothing but chunks.
struct FileSystemRetrievalTests {
    @Test func `files are private, and the guide's paths are where Git would put them`() async throws {
        try await Folder.with { folder in
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
            #expect(
                GitStyleOrganization(directoryDepth: 3).storagePath(for: identifier) == "a1/b2/c3/a1b2c3d4")
            #expect(FlatOrganization().storagePath(for: identifier) == "a1b2c3d4")
        }
    }

    @Test
    func `a write that fails at any step leaves the old chunk, and no leftovers that are taken for chunks`()
        async throws
    {
        for isNew in [true, false] {
            var steps = 0
            for failing in 0... {
                let seen = Mutex(0)
                let faulty = FileSystem { _ in
                    seen.withLock { count in
                        count += 1
                        return count == failing + 1 ? .error(ENOSPC) : nil
                    }
                }
                let isDone = try await Folder.with { folder in
                    let sound = FileSystemRetrieval(baseURL: folder)
                    if !isNew { try await sound.writeChunk(Data("old".utf8), at: "ab/x", metadata: nil) }
                    let retrieval = FileSystemRetrieval(baseURL: folder, files: faulty)
                    do {
                        try await retrieval.writeChunk(
                            Data("new".utf8), at: "ab/x", metadata: ChunkMetadata(size: 3))
                        if seen.withLock({ $0 }) <= failing { return true }
                    } catch ChunkStorageError.storageFull {}
                    let found = try await sound.readChunk(at: "ab/x")
                    let old = isNew ? nil : Data("old".utf8)
                    #expect(found == old || found == Data("new".utf8), "step \(failing)")
                    #expect(try await sound.paths(in: "") == (found == nil ? [] : ["ab/x"]))
                    return false
                }
                steps = failing
                if isDone { break }
            }
            #expect(steps > 8)
        }
    }

    @Test func `what cannot be asked is not said to be absent`() async throws {
        try await Folder.with { folder in
            let storage = ComposableFileSystemChunkStorage(baseURL: folder)
            let identifier = ChunkIdentifier(id: "a1b2c3")
            try await storage.writeChunk(Data("x".utf8), identifier: identifier, metadata: nil)
            // A link in a circle cannot be asked, whoever asks.
            let level = folder.appendingPathComponent("a1/b2")
            try FileManager.default.removeItem(at: level)
            try FileManager.default.createSymbolicLink(atPath: level.path, withDestinationPath: level.path)
            let existence = try #require(storage.existence)
            await #expect(throws: ChunkStorageError.self) { try await storage.chunkExists(identifier) }
            await #expect(throws: ChunkStorageError.self) { try await storage.readChunk(identifier) }
            await #expect(throws: ChunkStorageError.self) {
                try await storage.retrieval.presence(at: "a1/b2/a1b2c3")
            }
            await #expect(throws: ChunkStorageError.self) { try await existence.presence(of: [identifier]) }
            #expect(await !existence.chunkExists(identifier: identifier))
            #expect(await existence.chunkExists(identifiers: [identifier]) == [identifier: false])
            #expect(await !storage.retrieval.chunkExists(at: "a1/b2/a1b2c3"))
        }
    }

    @Test func `links are not followed to other files, and folders are no chunks`() async throws {
        try await Folder.with { folder in
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
    }

    @Test func `identifiers that no file can have are errors, and the empty one is refused`() async throws {
        try await Folder.with { folder in
            let storage = ComposableFileSystemChunkStorage(baseURL: folder)
            for bad in ["", String(repeating: "x", count: 5000)] {
                let identifier = ChunkIdentifier(id: bad)
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

    // MARK: Archives and sharing

    @Test func `chunks are written out as one file that tar reads, and taken in again`() async throws {
        try await Folder.with { folder in
            let first = ComposableFileSystemChunkStorage(baseURL: folder.appendingPathComponent("a"))
            let second = ComposableFileSystemChunkStorage(
                baseURL: folder.appendingPathComponent("b"), organization: GitStyleOrganization())
            var chunks: [ChunkIdentifier: Data] = [:]
            for (number, size) in [0, 1, 511, 512, 513, 100_000].enumerated() {
                let identifier = ChunkIdentifier(
                    id: number == 2 ? String(repeating: "long name ", count: 40) : "c\(number)")
                chunks[identifier] = Data(repeating: UInt8(number), count: size)
                try await first.writeChunk(
                    chunks[identifier]!, identifier: identifier,
                    metadata: number.isMultiple(of: 2) ? ChunkMetadata(size: size, custom: ["é": "\n"]) : nil)
            }
            let file = folder.appendingPathComponent("chunks.tar")
            let names = chunks.keys.sorted { $0.id < $1.id }
            try await #require(first.export).exportChunks(names, to: file)
            #expect(try await #require(second.import).importChunks(from: file) == names)
            for (name, data) in chunks {
                #expect(try await second.readChunk(name) == data)
                #expect(try await second.metadata(of: name) == first.metadata(of: name))
            }
            let tar = Process()
            tar.executableURL = URL(fileURLWithPath: "/bin/tar")
            tar.arguments = ["-tf", file.path]
            tar.standardOutput = Pipe()
            tar.standardError = Pipe()
            try tar.run()
            tar.waitUntilExit()
            #expect(tar.terminationStatus == 0)
            await #expect(throws: ChunkStorageError.self) {
                try await #require(first.export).exportChunks([ChunkIdentifier(id: "none")], to: file)
            }
            // What was there stays when an export fails.
            #expect(try await #require(second.import).importChunks(from: file) == names)
            try await damage(file, second)
        }
    }

    private func damage(_ file: URL, _ storage: ComposableFileSystemChunkStorage) async throws {
        let sound = try Data(contentsOf: file)
        let bad = file.appendingPathExtension("bad")
        let importer = try #require(storage.import)
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            var bytes = sound
            if Bool.random() { bytes = bytes.prefix(Int.random(in: 0..<sound.count, using: &generator)) }
            for _ in 0..<3 where !bytes.isEmpty {
                bytes[Int.random(in: 0..<min(bytes.count, 4096), using: &generator)] = .random(in: 0...255)
            }
            try bytes.write(to: bad)
            do {
                _ = try await importer.importChunks(from: bad)
            } catch is ChunkStorageError {}
        }
        for path in ["../out", "/etc/x", "c1"] {
            try (TarFormat.header(path: path, size: 0, records: []) + Data(count: 1024)).write(to: bad)
            await #expect(throws: ChunkStorageError.self) { try await importer.importChunks(from: bad) }
        }
    }

    @Test func `what another storage has can be read, not written`() async throws {
        try await Folder.with { folder in
            let theirs = ComposableFileSystemChunkStorage(baseURL: folder.appendingPathComponent("theirs"))
            let name = ChunkIdentifier(id: "shared")
            try await theirs.writeChunk(Data("x".utf8), identifier: name, metadata: nil)
            let ours = ComposedChunkStorage(
                organization: FlatOrganization(), retrieval: InMemoryRetrieval(),
                sharing: SharedChunkFolder(baseURL: folder.appendingPathComponent("theirs")))
            #expect(try await ours.readChunk(name) == Data("x".utf8))
            #expect(try await ours.chunkExists(name))
            try await ours.deleteChunk(name)
            #expect(try await theirs.readChunk(name) == Data("x".utf8))
            try await ours.writeChunk(Data("y".utf8), identifier: name, metadata: nil)
            #expect(try await ours.readChunk(name) == Data("y".utf8))
            #expect(try await theirs.readChunk(name) == Data("x".utf8))
        }
    }
}
