import ArgumentParser
import Foundation
import Roost
import RoostStorage

struct StorageFiles: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "json-storage",
        abstract: "Measure the JSON provider: open, fetch, save and compact, each in a separate process.")

    @Option(help: "The number of entries.") var entries = 100_000
    @Option(help: ArgumentHelp("The folder to measure.", visibility: .hidden)) var folder: String?
    @Option(help: ArgumentHelp("The measurement.", visibility: .hidden)) var step: String?

    private static let dimension = 384

    private static func id(_ number: Int) -> UUID {
        UUID(uuidString: "00000000-0000-4000-8000-" + String(format: "%012d", number))!
    }

    private static func entry(_ number: Int, _ vectors: Matrix) -> Entry {
        let vector = vectors.row(number % vectors.rows)
        let content =
            "note \(number): the swifts came back on day \(number % 365) and left with the first cold nights"
        return Entry(
            id: id(number), content: content, embeddings: vector,
            passages: [
                Passage(ordinal: 0, utf8Range: 0..<content.utf8.count, tokenCount: 20, vector: vector)
            ],
            metadata: ["day": .integer(Int64(number % 365))], tags: ["bird"])
    }

    func run() async throws {
        if let folder, let step { return try await measure(URL(fileURLWithPath: folder), step) }
        for count in [100, entries] {
            let folder = FileManager.default.temporaryDirectory
                .appendingPathComponent("roost-json-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: folder) }
            print("\(count) × \(Self.dimension)")
            for step in ["build \(count)", "open", "fetch", "save", "compact"] { try spawn(folder, step) }
        }
    }

    private func spawn(_ folder: URL, _ step: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = ["json-storage", "--folder", folder.path, "--step", step]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw ExitCode(process.terminationStatus) }
    }

    private func measure(_ folder: URL, _ step: String) async throws {
        let vectors = Material.vectors(2_000, Self.dimension)
        let base = Material.peakMegabytes
        switch step.split(separator: " ")[0] {
        case "build":
            let count = Int(step.split(separator: " ")[1]) ?? 0
            let time = try await Material.seconds {
                let storage = try LocalStorageProvider(directory: folder)
                for start in stride(from: 0, to: count, by: 1000) {
                    let batch = start..<min(count, start + 1000)
                    try await storage.saveEntries(batch.map { Self.entry($0, vectors) })
                }
                try await storage.compact()
            }
            let file = folder.appendingPathComponent("entries.json")
            let size = (try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0) >> 20
            Material.line("  save in batches of 1,000 and compact (\(size) MB)", time, "s")
        case "open":
            let time = try await Material.seconds {
                let storage = try LocalStorageProvider(directory: folder)
                let found = try await storage.snapshot().entries([Self.id(50)])
                precondition(found.count == 1)
            }
            Material.line("  open and fetch one entry", time, "s")
            print("    peak memory \(Material.peakMegabytes) MB (\(base) MB before)")
        case "fetch":
            let time = try await Material.seconds {
                let storage = try LocalStorageProvider(directory: folder)
                let all = try await storage.fetchEntries()
                precondition(!all.isEmpty)
            }
            Material.line("  open and fetch all", time, "s")
            print("    peak memory \(Material.peakMegabytes) MB (\(base) MB before)")
        case "save":
            let storage = try LocalStorageProvider(directory: folder)
            _ = try await storage.snapshot().stamp
            let time = try await Material.seconds {
                for number in 0..<200 {
                    try await storage.saveEntry(Self.entry(10_000_000 + number, vectors))
                }
            }
            Material.line("  one save", time * 1000 / 200, "ms")
        default:
            let storage = try LocalStorageProvider(directory: folder)
            Material.line("  compact", try await Material.seconds { try await storage.compact() }, "s")
            print("    peak memory \(Material.peakMegabytes) MB (\(base) MB before)")
        }
    }
}
