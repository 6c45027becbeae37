import ArgumentParser
import Foundation
import Roost

struct ShortTexts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "short-texts",
        abstract: "Measure ingesting lines of 8 words with MiniLM: entries per second.")

    @Option(help: "The number of lines.") var entries = 5_000
    @Option(help: "The storage provider: sqlite or json.") var provider = ProviderName.sqlite

    func run() async throws {
        let words = try String(contentsOfFile: "/usr/share/common-licenses/GPL-3", encoding: .utf8)
            .split(whereSeparator: \.isWhitespace)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "roost-short-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try await KnowledgeStore.create(
            at: folder, provider: provider.provider, embedder: try Material.model())
        var generator = SeededGenerator(seed: 0)
        let drafts = (0..<entries).map { row in
            let start = generator.nextIndex(below: words.count - 8)
            return EntryDraft(content: "\(row) " + words[start..<start + 8].joined(separator: " "))
        }
        var report = IngestReport()
        let time = try await Material.seconds {
            report = try await store.ingest([SourceDraft(id: "lines", fingerprint: "1", entries: drafts)])
        }
        Material.line("lines of 8 words (\(provider.rawValue))", Double(report.new) / time, "entries/s")
        Material.line("", Double(report.tokens) / time, "tokens/s")
        print("peak memory \(Material.peakMegabytes) MB")
    }
}
