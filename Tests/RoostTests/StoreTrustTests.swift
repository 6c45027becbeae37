import Foundation
import Roost
import TestSupport
import Testing

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
