import Foundation
import Roost
import TestSupport
import Testing

/// Tests of stores on read-only media.
@Suite(
    .temporaryFolders,
    .enabled(if: ReadOnlyMount.isAvailable, Comment(rawValue: ReadOnlyMount.requirement)))
struct ReadOnlyStoreTests {
    let commands = CommandLineDriver()
    var home: URL { commands.home }

    /// The contents of a store's files when its writer has ended.
    enum State: String, CaseIterable {
        /// The writer has closed the store.
        case closed
        /// The writer was killed, so the write-ahead log or the journal contains commits.
        case killed
        /// Another program has removed the lock file and the empty log.
        case cleaned
    }

    private func fill(_ provider: String, _ state: State) async throws {
        #expect(try commands.roost("init", "s", "--provider", provider, "--model", "lexical").status == 0)
        let folder = home.appendingPathComponent("s")
        let files = FileManager.default
        if state == .killed {
            // A copy of the files of an open store has the same contents as after a crash.
            let store = try await KnowledgeStore.open(in: folder) { _ in LexicalEmbedder() }
            for word in ["swift", "stork"] { try await store.add("the \(word) is back", tags: [word]) }
            let copy = home.appendingPathComponent("copy")
            try files.copyItem(at: folder, to: copy)
            try await store.close()
            try files.removeItem(at: folder)
            try files.moveItem(at: copy, to: folder)
            try? files.removeItem(at: folder.appendingPathComponent("roost.sqlite-shm"))
            if provider == "sqlite" {
                let log = folder.appendingPathComponent("roost.sqlite-wal")
                #expect(try Data(contentsOf: log).count > 0)
            }
            return
        }
        for word in ["swift", "stork"] {
            let added = try commands.roost("add", "the \(word) is back", "--tag", word, "--store", "s")
            #expect(added.status == 0, "\(added)")
        }
        guard state == .cleaned else { return }
        for name in ["lock", "roost.sqlite-wal", "roost.sqlite-shm"] {
            try? files.removeItem(at: folder.appendingPathComponent(name))
        }
    }

    private func run(_ command: String) throws -> CommandLineDriver.Outcome {
        try ReadOnlyMount.run(
            "exec \"$1\" \(command) --store s", CommandLineDriver.binary.path,
            readOnly: home.appendingPathComponent("s").path, in: home.path)
    }

    @Test(arguments: ["sqlite", "json"], State.allCases)
    func `a store on a read-only file system can be read, and writing is an error`(
        provider: String, state: State
    ) async throws {
        try await fill(provider, state)
        let before = try TemporaryFolder.files(in: home.appendingPathComponent("s"))
        for (command, words) in [
            ("query swift", "the swift is back"), ("query --tag stork back", "the stork is back"),
            ("list", "the stork is back"), ("export entries", "the swift is back"),
            ("export clusters", "clusters"), ("stats", "entries   2"),
        ] {
            let outcome = try run(command)
            #expect(outcome.status == 0 && outcome.output.contains(words), "\(command): \(outcome)")
            #expect(outcome.error.contains("is read-only"), "\(command): \(outcome)")
        }
        let doctor = try run("doctor")
        #expect(doctor.status == 0 && doctor.output.contains("is read-only"), "\(doctor)")
        let backup = try run("backup create --to b")
        #expect(backup.status == 0 && backup.output.contains("2 entries"), "\(backup)")
        let restored = try commands.roost("backup", "restore", "latest", "--into", "r", "--to", "b")
        #expect(restored.status == 0, "\(restored)")
        #expect(try commands.roost("list", "--store", "r").output.contains("the swift is back"))
        for command in ["add word", "recluster", "compact", "remove --source add --yes"] {
            let outcome = try run(command)
            #expect(
                outcome.status != 0 && outcome.error.lowercased().contains("read-only"),
                "\(command): \(outcome)")
        }
        #expect(try TemporaryFolder.files(in: home.appendingPathComponent("s")) == before)
        // The store can be written again when the medium is writable.
        #expect(try commands.roost("add", "writable", "--store", "s").status == 0)
        #expect(try commands.roost("list", "--store", "s").output.split(separator: "\n").count == 3)
    }

    @Test(arguments: ["v1/sqlite", "v1/json", "v2/sqlite", "v2/json"])
    func `a store of an earlier format can be read on a read-only file system`(name: String) throws {
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: Fixtures.folder.appendingPathComponent("Formats/\(name)"),
            to: home.appendingPathComponent("s"))
        let before = try TemporaryFolder.files(in: home.appendingPathComponent("s"))
        let outcome = try run("list")
        #expect(outcome.status == 0 && !outcome.output.isEmpty, "\(outcome)")
        #expect(try run("doctor").status == 0)
        #expect(try TemporaryFolder.files(in: home.appendingPathComponent("s")) == before)
    }
}
