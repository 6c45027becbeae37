import Foundation
import RoostModel
import TestSupport
import Testing

@testable import Roost

/// Tests of two processes that create a store in the same folder at the same time.
@Suite(.temporaryFolders) struct StoreCreationRaceTests {
    private func openFiles(in folder: URL) throws -> [String] {
        let descriptors = "/proc/self/fd"
        let path = folder.resolvingSymlinksInPath().path + "/"
        return try FileManager.default.contentsOfDirectory(atPath: descriptors).compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "\(descriptors)/\($0)")
        }.filter { $0.hasPrefix(path) }
    }

    @Test func `a creation that another one overtakes fails and leaves no file open`() async throws {
        let folder = try TemporaryFolder().url
        let embedder = RecordingEmbedder()
        embedder.interruption.set {
            try await KnowledgeStore.create(at: folder, embedder: LexicalEmbedder()).close()
        }
        let error = await #expect(throws: RoostError.self) {
            try await KnowledgeStore.create(at: folder, embedder: embedder)
        }
        #expect(error?.code == .storeExists)
        #expect(try openFiles(in: folder).isEmpty)
        let store = try await KnowledgeStore.openOrCreate(at: folder, model: .lexical)
        _ = try await store.add("the other store is intact")
        try await store.close()
    }
}

/// Tests with the sample stores in `Fixtures/Formats`.
@Suite(.temporaryFolders) struct FormatTests {
    private static let formats = Fixtures.folder.appendingPathComponent("Formats")

    @Test(arguments: ["v1/sqlite", "v1/json"])
    func `a store of each format opens, exports the same and can be changed`(name: String) async throws {
        let folder = TemporaryFolder.unusedURL()
        try FileManager.default.copyItem(at: Self.formats.appendingPathComponent(name), to: folder)
        let store = try await KnowledgeStore.open(at: folder) { _ in LexicalEmbedder() }
        func expected(_ file: String) throws -> Data {
            try Data(contentsOf: Self.formats.appendingPathComponent("\(name)-\(file)"))
        }
        var entries = Data()
        try await store.exportEntries(withEmbeddings: true) { entries += $0 }
        #expect(entries == (try expected("entries.jsonl")), "entries of \(name)")
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
        let clusters = try encoder.encode(try await store.clusters.export(withEmbeddings: true))
        func object(_ data: Data) throws -> NSDictionary? {
            try JSONSerialization.jsonObject(with: data) as? NSDictionary
        }
        #expect(try object(clusters) == object(expected("clusters.json")), "clusters of \(name)")
        let count = try await store.storage.snapshot().stamp.entryCount
        _ = try await store.add("written by a later version")
        try await store.close()
        let again = try await KnowledgeStore.open(at: folder) { _ in LexicalEmbedder() }
        #expect(try await again.storage.fetchEntries().count == count + 1)
        try await again.close()
        #expect(try await StoreInspector(folder).inspect().allSatisfy { $0.severity == .note })
    }

    @Test(arguments: ["sqlite", "json"]) func `a manifest of a later format is refused`(name: String) throws {
        let folder = TemporaryFolder.unusedURL()
        try FileManager.default.copyItem(at: Self.formats.appendingPathComponent("v1/\(name)"), to: folder)
        let file = folder.appendingPathComponent("store.json")
        let text = try String(contentsOf: file, encoding: .utf8)
        try text.replacing("\"format\" : 1", with: "\"format\" : 2").write(
            to: file, atomically: true, encoding: .utf8)
        let error = #expect(throws: RoostError.self) { try StoreManifest.read(in: folder) }
        #expect(error?.code == .newerFormat && error?.remedy == .upgradeRoost)
        #expect(error?.message.contains("newer than this version supports (1)") == true)
    }
}

@Suite struct StoreCopyTests {
    private func store(_ texts: [String] = []) async throws -> KnowledgeStore {
        let store = KnowledgeStore(storage: InMemoryStorageProvider(), embedder: LexicalEmbedder())
        for text in texts { _ = try await store.add(text, tags: ["kept"]) }
        return store
    }

    private let texts = ["the swift above the roof", "a boat below the bridge", "bread in the oven"]

    private func entries(_ store: KnowledgeStore) async throws -> [Entry] {
        try await store.storage.fetchEntries().sorted { $0.id.text < $1.id.text }
    }

    @Test func `a copy continues, and follows changes of the source`() async throws {
        let source = try await store(texts)
        let target = try await store()
        // A part of the same copy.
        _ = try await target.storage.commit(WriteBatch(upserts: [try await entries(source)[0]]))
        #expect(try await StoreCopy(from: source, to: target).run().entries == 3)
        #expect(try await entries(target) == entries(source))
        let first = try await entries(source)[0]
        try await source.update(first.id, EntryChanges(content: "a heron below the bridge"))
        try await StoreCopy(from: source, to: target).run()
        #expect(try await entries(target) == entries(source))
    }

    @Test func `a copy does not replace what was edited in the target`() async throws {
        let source = try await store(texts)
        let target = try await store()
        try await StoreCopy(from: source, to: target).run()
        // Dates are whole milliseconds.
        try await Task.sleep(for: .milliseconds(5))
        try await target.update(
            try await entries(target)[1].id, EntryChanges(content: "a heron in the reeds"))
        let edited = try await entries(target)
        await #expect(throws: RoostError.self) { try await StoreCopy(from: source, to: target).run() }
        #expect(try await entries(target) == edited)
    }

    @Test func `a store with other entries is no target`() async throws {
        let source = try await store(texts)
        let target = try await store(["an owl"])
        let before = try await entries(target)
        await #expect(throws: RoostError.self) { try await StoreCopy(from: source, to: target).run() }
        #expect(try await entries(target) == before)
    }
}

/// Tests of the trust check for stores that are found in parent folders.
@Suite(.temporaryFolders) struct StoreTrustTests {
    /// A change to a store's folder after which the store is not trusted.
    enum Attack: String, CaseIterable {
        case linkedManifest, linkedDatabase, linkedStorageFolder, linkedStore, deepLink, pipe
        case writableStore, writableFile, writableDeepFolder, writableParent

        /// Performs the change.
        ///
        /// - Parameters:
        ///   - store: The `.roost` folder, which contains a store.
        ///   - other: Another folder, to which links point.
        func perform(on store: URL, _ other: URL) throws {
            let manager = FileManager.default
            func link(_ name: String) throws {
                let target = other.appendingPathComponent("target-\(name)")
                let file = store.appendingPathComponent(name)
                if manager.fileExists(atPath: file.path) {
                    try manager.moveItem(at: file, to: target)
                } else {
                    try Data().write(to: target)
                }
                try manager.createSymbolicLink(at: file, withDestinationURL: target)
            }
            func permit(_ url: URL, _ mode: Int) throws {
                try manager.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
            }
            let deep = store.appendingPathComponent("backups/repository/packs/ab")
            switch self {
            case .linkedManifest: try link("store.json")
            case .linkedDatabase: try link("roost.sqlite")
            case .linkedStorageFolder: try link("Storage")
            case .linkedStore:
                let moved = other.appendingPathComponent("store")
                try manager.moveItem(at: store, to: moved)
                try manager.createSymbolicLink(at: store, withDestinationURL: moved)
            case .deepLink:
                try manager.createDirectory(
                    at: deep.deletingLastPathComponent(), withIntermediateDirectories: true)
                try manager.createSymbolicLink(at: deep, withDestinationURL: other)
            case .pipe: #expect(mkfifo(store.appendingPathComponent("lock-inside").path, 0o600) == 0)
            case .writableStore: try permit(store, 0o777)
            case .writableFile: try permit(store.appendingPathComponent("store.json"), 0o666)
            case .writableDeepFolder:
                try manager.createDirectory(at: deep, withIntermediateDirectories: true)
                try permit(deep, 0o707)
            case .writableParent: try permit(store.deletingLastPathComponent(), 0o777)
            }
        }
    }

    /// Creates a store in `.roost` of a new folder, and returns that folder.
    private func makeStore(_ provider: StoreManifest.Provider = .sqlite) async throws -> URL {
        let folder = try TemporaryFolder().url
        // The permissions of the test do not depend on the caller's umask.
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
        let store = try await KnowledgeStore.create(
            at: folder.appendingPathComponent(".roost"), provider: provider, embedder: LexicalEmbedder())
        try await store.add("The swift is back above the roof.")
        try await store.close()
        return folder
    }

    private func isRefused(_ folder: URL) throws -> Bool {
        do {
            _ = try StoreManifest.findUpward(from: folder)
            return false
        } catch let error as RoostError where error.code == .foreignStore {
            #expect(error.message.contains(".roost") && error.remedy == .nameStoreExplicitly)
            return true
        }
    }

    @Test(arguments: StoreManifest.Provider.inFolder)
    func `a store of the user is found from a folder below`(provider: StoreManifest.Provider) async throws {
        let folder = try await makeStore(provider)
        let below = folder.appendingPathComponent("a/b")
        try FileManager.default.createDirectory(at: below, withIntermediateDirectories: true)
        let found = try #require(try StoreManifest.findUpward(from: below))
        #expect(try StoreManifest.read(in: found).provider == provider)
        #expect(found.lastPathComponent == ".roost")
    }

    @Test(arguments: Attack.allCases)
    func `a store with links, or that others can change, is not used when walking upward`(
        attack: Attack
    ) async throws {
        let folder = try await makeStore()
        #expect(try !isRefused(folder))
        try attack.perform(on: folder.appendingPathComponent(".roost"), try TemporaryFolder().url)
        #expect(try isRefused(folder), "\(attack)")
    }

    @Test(.enabled(if: geteuid() == 0), arguments: ["", "store.json", "roost.sqlite", "..", "link", "group"])
    func `a store of another user is not used when walking upward`(part: String) async throws {
        let folder = try await makeStore()
        let store = folder.appendingPathComponent(".roost")
        let (nobody, file) = (uid_t(65_534), store.appendingPathComponent("store.json"))
        switch part {
        case "link":
            // The folder of another user contains a link to a file of the victim.
            let own = try TemporaryFolder().url.appendingPathComponent("store.json")
            try FileManager.default.moveItem(at: file, to: own)
            try FileManager.default.createSymbolicLink(at: file, withDestinationURL: own)
            #expect(chown(store.path, nobody, 65_534) == 0)
        case "group":
            #expect(chown(store.path, 0, 65_534) == 0 && chmod(store.path, 0o770) == 0)
        default: #expect(chown(store.appendingPathComponent(part).path, nobody, 65_534) == 0)
        }
        #expect(try isRefused(folder), "\(part)")
    }

    @Test func `a store with links can be used if it is named explicitly`() async throws {
        let folder = try await makeStore()
        let store = folder.appendingPathComponent(".roost")
        try Attack.linkedManifest.perform(on: store, try TemporaryFolder().url)
        let opened = try await KnowledgeStore.open(at: store) { _ in LexicalEmbedder() }
        #expect(try await opened.storage.snapshot().stamp.entryCount == 1)
        try await opened.close()
    }
}
