import ArgumentParser
import Foundation
import Roost

struct FolderTimes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "folder-times",
        abstract: "Measure syncs of a folder, and the time until a saved file is found while it is watched.")

    @Option(help: "The number of files.") var files = 10_000
    @Option(help: "The number of files that are saved while the folder is watched.") var saves = 20
    @Option(help: "The storage provider: sqlite or json.") var provider = ProviderName.sqlite

    /// The time in seconds after which an unchanged file is no longer read.
    private static let settlingTime = 2.5
    /// The number of files in a folder.
    private static let folderSize = 100

    func run() async throws {
        let base = FileManager.default.temporaryDirectory.appendingPathComponent(
            "roost-folders-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: base) }
        let notes = base.appendingPathComponent("notes")
        for number in 0..<files {
            try write("Note \(number) about subject \(number % 97).", number, in: notes)
        }
        let store = try await KnowledgeStore.create(
            at: base.appendingPathComponent("store"), provider: provider.provider,
            embedder: LexicalEmbedder())
        let folder = SyncedFolder(notes)
        try await store.folders.add(folder)
        let name = "\(files) files (\(provider.rawValue))"
        try await measure("first sync, \(name)", store, folder)
        try await Task.sleep(for: .seconds(Self.settlingTime))
        try await measure("second sync, which reads all files again", store, folder)
        try await measure("unchanged files", store, folder)
        // Another command has changed the store, so the entries of all files are checked.
        try await store.add("An entry that does not come from a file.")
        try await measure("unchanged files after another change", store, folder)
        try write("A changed note.", 0, in: notes)
        try await measure("one changed file", store, folder)
        try await watch(store, notes)
        try await store.close()
        print("peak memory \(Material.peakMegabytes) MB")
    }

    private func write(_ text: String, _ number: Int, in notes: URL) throws {
        let folder = notes.appendingPathComponent("folder \(number / Self.folderSize)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: folder.appendingPathComponent("note \(number).md"), options: .atomic)
    }

    private func measure(_ name: String, _ store: KnowledgeStore, _ folder: SyncedFolder) async throws {
        let time = try await Material.seconds { try await store.folders.sync([folder]) }
        Material.line(name, time, "s")
    }

    /// Measures the time from the end of a write until a search finds the new text.
    private func watch(_ store: KnowledgeStore, _ notes: URL) async throws {
        let (stream, events) = AsyncStream<Void>.makeStream()
        var options = WatchOptions()
        options.onEvent = { if case .watching = $0 { events.finish() } }
        let task = Task { [options] in try await store.folders.watch(options) }
        for await _ in stream {}
        var times: [Double] = []
        for save in 0..<saves {
            let word = "unmistakable\(save)"
            try write("A saved note with the word \(word).", save * files / max(1, saves), in: notes)
            times.append(
                try await Material.seconds {
                    while try await store.search(word).hits.first?.entry.content.contains(word) != true {
                        try await Task.sleep(for: .milliseconds(10))
                    }
                })
        }
        times.sort()
        Material.line("from a save to a search result, median", times[times.count / 2], "s")
        Material.line("from a save to a search result, maximum", times[times.count - 1], "s")
        task.cancel()
        let time = await Material.seconds { _ = await task.result }
        Material.line("end of watching", time, "s")
    }
}
