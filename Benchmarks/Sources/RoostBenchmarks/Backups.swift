import ArgumentParser
import Foundation
import Roost

struct Backups: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Backup, restore and verification of a store, and a second backup after 1% of its entries changed; restic beside it.")

    @Option var entries = 100_000
    @Option(help: "A folder on the disk to be measured.") var folder: String?

    private static let dimension = 384
    private static let words = (0..<8000).map { number -> String in
        var generator = SeededGenerator(seed: UInt64(number))
        return String((0..<(2 + generator.nextIndex(below: 9))).map { _ in Character(UnicodeScalar(97 + UInt8(generator.nextIndex(below: 26)))) })
    }

    /// About 400 bytes of words, the frequent ones often.
    private static func text(_ number: Int, _ round: Int) -> String {
        var generator = SeededGenerator(seed: UInt64(number) &* 31 &+ UInt64(round))
        return (0..<60).map { _ in
            let place = pow(generator.nextUnit(), 3) * Double(words.count)
            return words[min(words.count - 1, Int(place))]
        }.joined(separator: " ")
    }

    private static func entry(_ number: Int, _ round: Int, _ vectors: Matrix) -> Entry {
        let content = text(number, round)
        let vector = vectors.row((number + 7919 * round) % vectors.rows)
        return Entry(
            id: EntryID.derived(source: "benchmark", key: "\(number)"), content: content, embeddings: vector,
            passages: [Passage(ordinal: 0, utf8Range: 0..<content.utf8.count, tokenCount: 80, vector: vector)],
            source: "file:///notes/\(document(of: number))", key: "\(number)", metadata: ["day": .integer(Int64(number % 365))])
    }

    /// Ten entries came from each document, and those that change are of a hundredth of the documents.
    private static func document(of number: Int) -> Int { number % 100 * 100 + number / 1000 }

    /// Keeps documents made of their entries' texts, with the records of their sources.
    private func keep(_ documents: Set<Int>, _ round: Int, in store: KnowledgeStore) async throws {
        var texts: [Int: [String]] = [:]
        for number in 0..<entries where documents.contains(Self.document(of: number)) {
            texts[Self.document(of: number), default: []].append(
                Self.text(number, round == 1 && number % 100 == 13 ? 1 : 0))
        }
        var sources: [Source] = []
        for (number, parts) in texts {
            let data = Data(parts.joined(separator: "\n\n").utf8)
            let name = ChunkIdentifier(hashing: data)
            try await store.originals?.storage.writeChunk(data, identifier: name, metadata: nil)
            sources.append(Source(id: "file:///notes/\(number)", fingerprint: "sha256:\(name.id)"))
        }
        _ = try await store.storage.commit(WriteBatch(sources: sources))
    }

    func run() async throws {
        let top = (folder.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory)
            .appendingPathComponent("roost-backups-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: top, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: top) }
        let directory = top.appendingPathComponent("store")
        let vectors = Material.vectors(entries, Self.dimension)
        let store = try await KnowledgeStore.create(in: directory, embedder: LexicalEmbedder(dimension: Self.dimension))
        for start in stride(from: 0, to: entries, by: 2000) {
            _ = try await store.storage.commit(
                WriteBatch(upserts: (start..<min(entries, start + 2000)).map { Self.entry($0, 0, vectors) }))
        }
        try await keep(Set((0..<entries).map(Self.document)), 0, in: store)
        try await store.storage.compact()
        Material.line("store of \(entries) × \(Self.dimension)", Double(Self.size(of: directory)) / 1e6, "MB")
        let repository = try await StoreBackup.openOrCreate(top.appendingPathComponent("ours"))
        let theirs = Restic(folder: top.appendingPathComponent("theirs"))
        if theirs.isThere { try theirs.run(["init"]) }
        for round in 0...1 {
            let name = round == 0 ? "first" : "second"
            if round == 1 {
                let changed = stride(from: 13, to: entries, by: 100).map { Self.entry($0, 1, vectors) }
                _ = try await store.storage.commit(WriteBatch(upserts: changed))
                let documents = stride(from: 13, to: entries, by: 100).map(Self.document)
                try await keep(Set(documents), 1, in: store)
                guard documents.count > 1 else { throw ExitCode(70) }
            }
            let before = (Self.size(of: top.appendingPathComponent("ours")), Self.size(of: theirs.folder))
            let time = try await Material.seconds { _ = try await StoreBackup(directory).create(in: repository) }
            Material.line("\(name) backup", time, "s")
            let size = Self.size(of: top.appendingPathComponent("ours")) - before.0
            Material.line("\(name) backup", Double(size) / 1e6, "MB")
            guard theirs.isThere else { continue }
            let theirTime = try await Material.seconds { try theirs.run(["backup", directory.path]) }
            Material.line("restic, \(name) backup", theirTime, "s")
            Material.line("restic, \(name) backup", Double(Self.size(of: theirs.folder) - before.1) / 1e6, "MB")
        }
        let verifying = try await Material.seconds {
            guard try await repository.verify(readingData: true).isSound else { throw ExitCode(65) }
        }
        Material.line("verify, all data", verifying, "s")
        if theirs.isThere {
            Material.line("restic check --read-data", try await Material.seconds { try theirs.run(["check", "--read-data"]) }, "s")
        }
        let snapshot = try await repository.snapshot("latest")
        let restoring = try await Material.seconds {
            try await StoreBackup(top.appendingPathComponent("restored")).restore(snapshot, from: repository)
        }
        Material.line("restore into SQLite", restoring, "s")
        if theirs.isThere {
            let target = top.appendingPathComponent("theirs-restored").path
            Material.line("restic restore", try await Material.seconds { try theirs.run(["restore", "latest", "--target", target]) }, "s")
        }
        print("peak memory \(Material.peakMegabytes) MB")
        try await store.close()
    }

    private static func size(of folder: URL) -> Int {
        let names = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.fileSizeKey])
        return (names?.allObjects as? [URL] ?? []).reduce(0) {
            $0 + ((try? $1.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0)
        }
    }

    private struct Restic {
        let folder: URL
        var isThere: Bool { FileManager.default.isExecutableFile(atPath: "/usr/bin/restic") }

        func run(_ arguments: [String]) throws {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/restic")
            process.arguments = ["-q", "--no-cache", "-r", folder.path] + arguments
            process.environment = ["RESTIC_PASSWORD": "benchmark", "PATH": "/usr/bin:/bin", "HOME": folder.deletingLastPathComponent().path]
            try process.run()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else { throw ExitCode(process.terminationStatus) }
        }
    }
}

struct ChunkExistence: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Whether chunks are in a git-style folder: a million in one batch, and one by one.")

    @Option var chunks = 100_000

    func run() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("roost-chunks-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let organization = GitStyleOrganization()
        let names = (0..<10 * chunks).map { ChunkIdentifier(hashing: Data("\($0)".utf8)) }
        for name in names.prefix(chunks) {
            let url = folder.appendingPathComponent(organization.storagePath(for: name))
            try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            FileManager.default.createFile(atPath: url.path, contents: Data("x".utf8))
        }
        let storage = ComposableFileSystemChunkStorage(baseURL: folder)
        var found = 0
        let batch = try await Material.seconds { found = try await storage.chunksExist(names).values.count { $0 } }
        guard found == chunks else { throw ExitCode(70) }
        Material.line("\(names.count) checks in one batch", batch, "s")
        let single = try await Material.seconds {
            for name in names.prefix(chunks) { _ = try await storage.chunkExists(name) }
        }
        Material.line("\(chunks) single checks", single, "s")
    }
}
