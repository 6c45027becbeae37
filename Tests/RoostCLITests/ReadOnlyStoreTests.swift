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
            let store = try await KnowledgeStore.open(at: folder) { _ in LexicalEmbedder() }
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
            ("query swift", "the swift is back"), ("export entries", "the stork is back"),
        ] {
            let outcome = try run(command)
            #expect(outcome.status == 0 && outcome.output.contains(words), "\(command): \(outcome)")
            #expect(outcome.error.contains("is read-only"), "\(command): \(outcome)")
        }
        let doctor = try run("doctor")
        #expect(doctor.status == 0, "\(doctor)")
        let backup = try run("backup create --to b")
        #expect(backup.status == 0 && backup.output.contains("2 entries"), "\(backup)")
        let restored = try commands.roost("backup", "restore", "latest", "--into", "r", "--to", "b")
        #expect(restored.status == 0, "\(restored)")
        #expect(try commands.roost("list", "--store", "r").output.contains("the swift is back"))
        for command in ["add word", "doctor --compact"] {
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

    @Test func `the result of an interrupted repair is read, and reported`() throws {
        #expect(try commands.roost("init", "s", "--model", "lexical").status == 0)
        #expect(try commands.roost("add", "the swift is back", "--store", "s").status == 0)
        let (folder, copy) = (home.appendingPathComponent("s"), home.appendingPathComponent("copy"))
        try FileManager.default.copyItem(at: folder, to: copy)
        #expect(try commands.roost("add", "the stork was recovered", "--store", "copy").status == 0)
        // The process ended after it had written the marker.
        try FileManager.default.moveItem(
            at: copy.appendingPathComponent("roost.sqlite"),
            to: folder.appendingPathComponent("repaired-1.sqlite"))
        try? FileManager.default.removeItem(at: folder.appendingPathComponent("roost.sqlite-wal"))
        try Data("repaired-1.sqlite".utf8).write(
            to: folder.appendingPathComponent("roost.sqlite-replacing"))
        let before = try TemporaryFolder.files(in: folder)
        let list = try run("list")
        #expect(list.status == 0 && list.output.contains("the stork was recovered"), "\(list)")
        let doctor = try run("doctor")
        #expect(doctor.status == 0 && doctor.output.contains("was interrupted"), "\(doctor)")
        #expect(try TemporaryFolder.files(in: folder) == before)
        // With write access, opening the store completes the repair.
        let writable = try commands.roost("doctor", "--store", "s")
        #expect(writable.status == 0 && writable.output.contains("was interrupted"), "\(writable)")
        #expect(try commands.roost("add", "a heron", "--store", "s").status == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(!names.contains("roost.sqlite-replacing") && !names.contains("repaired-1.sqlite"))
        #expect(try commands.roost("list", "--store", "s").output.contains("the stork was recovered"))
    }

    @Test func `the temporary copy of a killed reader is removed by the next one`() async throws {
        try await fill("sqlite", .killed)
        let abandoned = FileManager.default.temporaryDirectory
            .appendingPathComponent("roost-read-only-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: abandoned) }
        try FileManager.default.createDirectory(
            at: abandoned, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        // A process that ended has left the lock file, but does not hold the lock.
        try Data().write(to: abandoned.appendingPathComponent("lock"))
        try Data("a copy".utf8).write(to: abandoned.appendingPathComponent("roost.sqlite"))
        let list = try run("list")
        #expect(list.status == 0, "\(list)")
        #expect(!FileManager.default.fileExists(atPath: abandoned.path))
    }
}
