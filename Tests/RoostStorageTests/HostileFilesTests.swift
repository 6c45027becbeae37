import CrashWorkload
import Foundation
import RoostFiles
import RoostJSON
import RoostModel
import RoostSQLite
import Testing

/// What others plant in a store's folder, and who may read it.
struct HostileFilesTests {
    private func mode(_ path: String) throws -> Int {
        (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
            ?? 0
    }

    @Test(arguments: CrashWorkload.Backend.allCases)
    func `nobody else may read what is written`(backend: CrashWorkload.Backend) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let old = umask(0)
        defer { umask(old) }
        let place = folder.url.appendingPathComponent("new/store")
        try FileSystem.standard.createFolder(place)
        let store = try await CrashWorkload.open(backend, in: place)
        for step in CrashWorkload.steps { try await CrashWorkload.perform(step, on: store) }
        var count = 0
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.url.path) {
            let full = folder.url.appendingPathComponent(path).path
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: full, isDirectory: &isFolder)
            #expect(try mode(full) == (isFolder.boolValue ? 0o700 : 0o600), "\(path)")
            count += 1
        }
        #expect(count > 3)
        try await store.close()
    }

    @Test func `a link in a temporary file's place is not followed`() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let victim = folder.url.appendingPathComponent("victim")
        try Data("mine".utf8).write(to: victim)
        // The names of temporary files cannot be guessed; where one could, it would not be followed.
        let planted = folder.url.appendingPathComponent(".entries.json.1.2.tmp")
        try FileManager.default.createSymbolicLink(at: planted, withDestinationURL: victim)
        #expect(throws: FileError.self) {
            try FileDescriptor(planted.path, O_WRONLY | O_CREAT | O_EXCL)
        }
        #expect(throws: FileError.self) { try FileDescriptor(planted.path, O_WRONLY | O_CREAT) }
        #expect(try AtomicFile.removeLeftovers(in: folder.url) == [planted.lastPathComponent])
        #expect(try Data(contentsOf: victim) == Data("mine".utf8))
    }

    @Test func `links in the places of a JSON store's files`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let others = folder.url.appendingPathComponent("others")
        try FileManager.default.createDirectory(at: others, withIntermediateDirectories: true)
        let victim = others.appendingPathComponent("letter.txt")
        try Data("mine".utf8).write(to: victim)
        let storage = folder.url.appendingPathComponent("Storage")
        let store = try LocalStorageProvider(directory: storage)
        for number in 0..<3 { try await store.saveEntry(Entry(content: "\(number)", embeddings: [1])) }
        // Where the next generation, its journal, and the copies for people go.
        let manager = FileManager.default
        try manager.createSymbolicLink(
            at: storage.appendingPathComponent("generations/2"), withDestinationURL: others)
        try manager.createSymbolicLink(
            at: storage.appendingPathComponent("journal-2.jsonl"), withDestinationURL: victim)
        for name in ["entries.json", "clusters.json"] {
            let url = storage.appendingPathComponent(name)
            try manager.removeItem(at: url)
            try manager.createSymbolicLink(at: url, withDestinationURL: victim)
        }
        try await store.compact()
        try await store.saveEntry(Entry(content: "after", embeddings: [1]))
        #expect(try Data(contentsOf: victim) == Data("mine".utf8))
        #expect(try manager.contentsOfDirectory(atPath: others.path) == ["letter.txt"])
        let again = try LocalStorageProvider(directory: storage)
        #expect(try await again.fetchEntries().map(\.content) == ["0", "1", "2", "after"])
        #expect(
            try String(contentsOf: storage.appendingPathComponent("entries.json"), encoding: .utf8)
                .contains("\"2\""))
    }

    @Test func `a database that is gone is not begun anew`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let url = folder.url.appendingPathComponent("roost.sqlite")
        let store = try await SQLiteStorageProvider(databaseURL: url)
        try await store.saveEntry(Entry(content: "kept", embeddings: [1]))
        let log = try Data(contentsOf: URL(fileURLWithPath: url.path + "-wal"))
        for cut in [false, true] {
            let copy = folder.url.appendingPathComponent("\(cut)")
            try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
            let other = copy.appendingPathComponent("roost.sqlite")
            try log.write(to: URL(fileURLWithPath: other.path + "-wal"))
            if cut { try Data().write(to: other) }
            let error = await #expect(throws: StorageError.self) {
                try await SQLiteStorageProvider(databaseURL: other)
            }
            #expect(error?.code == .damaged)
            #expect(try Data(contentsOf: URL(fileURLWithPath: other.path + "-wal")) == log)
        }
        try await store.close()
    }

    @Test func `commits are synchronised as was asked for`() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for (durability, expected) in [(SQLiteStorageProvider.Durability.full, 2), (.normal, 1)] {
            var options = SQLiteStorageProvider.Options()
            options.durability = durability
            let store = try await SQLiteStorageProvider(
                databaseURL: folder.url.appendingPathComponent("\(expected).sqlite"), options: options)
            #expect(try await store.synchronousSetting() == expected)
            try await store.close()
        }
    }
}
