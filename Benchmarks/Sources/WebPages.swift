import ArgumentParser
import Foundation
import RoostDocuments

/// Measures the extraction of the main content of web pages: the mean F1 of words by type of page.
struct WebPages: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "web-pages", abstract: "Measure the extraction of the main content of web pages.")

    @Argument(help: "A folder with truth.jsonl and html/ID.html.gz, below $ROOST_EVAL.")
    var folder = "documents/wcxb-dev"

    @Option(help: "Write the features of all blocks to a folder, for Peers/webpage_blocks.py.")
    var features: String?

    func run() async throws {
        let source = Material.data.appendingPathComponent(folder)
        let pages = try AnnotatedWebPage.pages(in: source)
        var measures: [String: [Double]] = [:]
        var slowest = 0.0
        for page in pages {
            let data = try page.html(in: source)
            if let features { try write(data, page.id, to: URL(fileURLWithPath: features)) }
            var text = ""
            slowest = max(slowest, try await Material.seconds { text = try await webPageText(data) })
            measures[page.type, default: []].append(page.agreement(with: text))
        }
        for (type, values) in measures.sorted(by: { $0.key < $1.key }) { report(type, values) }
        report("all", measures.values.flatMap { $0 })
        print(String(format: "slowest page %.2f s", slowest))
    }

    private func report(_ name: String, _ values: [Double]) {
        let mean = values.reduce(0, +) / Double(max(1, values.count))
        print(
            name.padding(toLength: 16, withPad: " ", startingAt: 0), String(format: "%.3f", mean),
            values.count)
    }

    private func write(_ data: Data, _ id: String, to folder: URL) throws {
        let (names, blocks) = webPageBlocks(data)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let values = blocks.flatMap(\.features).withUnsafeBytes { Data($0) }
        try values.write(to: folder.appendingPathComponent(id + ".f32"))
        let texts = ["blocks": blocks.map { ["t": $0.text] }]
        try JSONEncoder().encode(texts).write(to: folder.appendingPathComponent(id + ".json"))
        if !names.isEmpty {
            try Data(names.joined(separator: "\n").utf8).write(to: folder.appendingPathComponent("names.txt"))
        }
    }
}

/// A block of a web page, with the features from which its score is computed.
struct WebPageBlock: Sendable {
    /// The text with single spaces.
    var text: String
    /// The features.
    var features: [Float]
}

/// Returns the blocks of a web page, and the names of their features.
func webPageBlocks(_ page: Data) -> (names: [String], blocks: [WebPageBlock]) {
    let (names, blocks) = HTMLPage(page).scoredBlocks()
    return (names, blocks.map { WebPageBlock(text: $0.text, features: $0.features) })
}

/// Returns the main content of a web page as Markdown; an empty text if the page has no main content.
///
/// - Throws: `CancellationError`.
func webPageText(_ page: Data) async throws -> String {
    do {
        let input = DocumentInput(data: page, path: "page.html")
        return try await HTMLReader().read(input, as: HTMLReader.type).documents.first?.text ?? ""
    } catch is DocumentError {
        return ""
    }
}
