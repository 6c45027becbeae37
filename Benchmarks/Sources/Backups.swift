import ArgumentParser
import Foundation
import Roost
import RoostChunks

struct Backups: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measure backup, incremental backup, verification and restore of a store.",
        discussion: """
            The second backup is made after 1% of the entries have changed. If restic is installed, it is \
            measured on the same data.
            """)

    @Option(help: "The number of entries in the store.") var entries = 100_000
    @Option(help: "A folder on the disk to measure; by default the temporary folder.") var folder: String?

    private static let dimension = 384
    private static let words = (0..<8000).map { number -> String in
        var generator = SeededGenerator(seed: UInt64(number))
        let letters = (0..<(2 + generator.nextIndex(below: 9))).map { _ in
            Character(UnicodeScalar(97 + UInt8(generator.nextIndex(below: 26))))
        }
        return String(letters)
    }

    /// Returns about 400 bytes of words with a skewed distribution.
    private static func text(_ number: Int, _ round: Int) -> String {
        var generator = SeededGenerator(seed: UInt64(number) &* 31 &+ UInt64(round))
        return (0..<60).map { _ in
            let rank = pow(generator.nextUnit(), 3) * Double(words.count)
            return words[min(words.count - 1, Int(rank))]
        }.joined(separator: " ")
    }

    private static func entry(_ number: Int, _ round: Int, _ vectors: Matrix) -> Entry {
        let content = text(number, round)
        let vector = vectors.row((number + 7919 * round) % vectors.rows)
        return Entry(
            id: EntryID.derived(source: "benchmark", key: "\(number)"), content: content, embeddings: vector,
            passages: [
                Passage(ordinal: 0, utf8Range: 0..<content.utf8.count, tokenCount: 80, vector: vector)
            ],
            source: "file:///notes/\(document(of: number))", key: "\(number)",
            metadata: ["day": .integer(Int64(number % 365))])
    }

    /// Returns the number of the document that contains the given entry. Each document contains ten entries,
    /// and the entries that change belong to one percent of the documents.
    private static func document(of number: Int) -> Int { number % 100 * 100 + number / 1000 }

    /// Stores original documents and their source records. Each document consists of the texts of its
    /// entries.
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
        let embedder = LexicalEmbedder(dimension: Self.dimension)
        let store = try await KnowledgeStore.create(at: directory, embedder: embedder)
        for start in stride(from: 0, to: entries, by: 2000) {
            _ = try await store.storage.commit(
                WriteBatch(upserts: (start..<min(entries, start + 2000)).map { Self.entry($0, 0, vectors) }))
        }
        try await keep(Set((0..<entries).map(Self.document)), 0, in: store)
        try await store.storage.compact()
        Material.line("store of \(entries) × \(Self.dimension)", Double(Self.size(of: directory)) / 1e6, "MB")
        let repository = try await StoreBackup.openOrCreate(top.appendingPathComponent("roost"))
        let restic = Restic(folder: top.appendingPathComponent("restic"))
        if restic.isInstalled { try restic.run(["init"]) }
        try await measureBackups(of: store, directory, vectors, in: repository, restic)
        try await measureVerification(of: repository, restic)
        try await measureRestore(from: repository, restic, top)
        print("peak memory \(Material.peakMegabytes) MB")
        try await store.close()
    }

    /// Measures a first backup, and a second one after some entries have changed.
    private func measureBackups(
        of store: KnowledgeStore, _ directory: URL, _ vectors: Matrix, in repository: BackupRepository,
        _ restic: Restic
    ) async throws {
        let folder = directory.deletingLastPathComponent().appendingPathComponent("roost")
        for round in 0...1 {
            let name = round == 0 ? "first" : "second"
            if round == 1 {
                let changed = stride(from: 13, to: entries, by: 100).map { Self.entry($0, 1, vectors) }
                _ = try await store.storage.commit(WriteBatch(upserts: changed))
                let documents = stride(from: 13, to: entries, by: 100).map(Self.document)
                try await keep(Set(documents), 1, in: store)
                guard documents.count > 1 else { throw ExitCode(70) }
            }
            let before = (Self.size(of: folder), Self.size(of: restic.folder))
            let time = try await Material.seconds {
                _ = try await StoreBackup(directory).create(in: repository)
            }
            Material.line("\(name) backup", time, "s")
            let size = Self.size(of: folder) - before.0
            Material.line("\(name) backup", Double(size) / 1e6, "MB")
            guard restic.isInstalled else { continue }
            let resticTime = try await Material.seconds { try restic.run(["backup", directory.path]) }
            Material.line("restic, \(name) backup", resticTime, "s")
            let resticSize = Self.size(of: restic.folder) - before.1
            Material.line("restic, \(name) backup", Double(resticSize) / 1e6, "MB")
        }
    }

    private func measureVerification(of repository: BackupRepository, _ restic: Restic) async throws {
        let verifying = try await Material.seconds {
            guard try await repository.verify(readingData: true).isSound else { throw ExitCode(65) }
        }
        Material.line("verify, all data", verifying, "s")
        if restic.isInstalled {
            let checking = try await Material.seconds { try restic.run(["check", "--read-data"]) }
            Material.line("restic check --read-data", checking, "s")
        }
    }

    private func measureRestore(
        from repository: BackupRepository, _ restic: Restic, _ top: URL
    ) async throws {
        let snapshot = try await repository.snapshot("latest")
        let restoring = try await Material.seconds {
            try await StoreBackup(top.appendingPathComponent("restored")).restore(snapshot, from: repository)
        }
        Material.line("restore into SQLite", restoring, "s")
        if restic.isInstalled {
            let target = top.appendingPathComponent("restic-restored").path
            let restoring = try await Material.seconds {
                try restic.run(["restore", "latest", "--target", target])
            }
            Material.line("restic restore", restoring, "s")
        }
    }

    private static func size(of folder: URL) -> Int {
        let names = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.fileSizeKey])
        return (names?.allObjects as? [URL] ?? []).reduce(0) {
            $0 + ((try? $1.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0)
        }
    }

    private struct Restic {
        let folder: URL
        var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: "/usr/bin/restic") }

        func run(_ arguments: [String]) throws {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/restic")
            process.arguments = ["-q", "--no-cache", "-r", folder.path] + arguments
            process.environment = [
                "RESTIC_PASSWORD": "benchmark", "PATH": "/usr/bin:/bin",
                "HOME": folder.deletingLastPathComponent().path,
            ]
            try process.run()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else { throw ExitCode(process.terminationStatus) }
        }
    }
}
