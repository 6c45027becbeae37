import Foundation
import Roost
import TestSupport
import Testing

/// Tests of the labels of clusters of notes with badges, addresses and footers.
@Suite(.temporaryFolders) struct VaultLabelTests {
    private static let subjects = [
        ["swift", "nest", "egg", "feather", "flight"], ["dough", "oven", "flour", "yeast", "crust"],
        ["comet", "orbit", "telescope", "planet", "lens"], ["hedge", "spade", "compost", "seedling", "bed"],
    ]

    /// Returns a note whose visible text is about one of four subjects.
    private static func note(_ number: Int) -> String {
        let words = subjects[number % 4]
        let sentences = (0..<6).map { line in
            "The \(words[(number + line) % 5]) and the \(words[(number / 3 + line) % 5]) of day \(number)."
        }
        return """
            ---
            created: 2025-03-14
            uuid: 573e7a0f\(number)
            publish: zettel
            ---
            [![Build](https://img.shields.io/badge/build-passing-brightgreen)](https://travis-ci.org/573e7a)

            # Day \(number)

            \(sentences.joined(separator: "\n"))
            %% obsidian boilerplate %%
            See <https://example.org/wiki/logo?ref=573e7a> or [there](https://cdn.example.org/img/logo.svg).

            """
    }

    /// The words that occur only in markup.
    private static let markup: Set<String> = [
        "http", "https", "www", "org", "shields", "travis", "badge", "img", "svg", "logo", "cdn", "573e7a",
        "uuid", "publish", "zettel", "obsidian", "boilerplate", "brightgreen", "wiki",
    ]

    private func labels(of folder: URL) async throws -> [String] {
        let store = try await KnowledgeStore.create(
            in: TemporaryFolder.unusedURL(), embedder: LexicalEmbedder())
        _ = try await store.ingest(folder: folder)
        _ = try await store.recluster()
        return try await store.storage.fetchClusters().map(\.label)
    }

    private func words(of label: String) -> [String] {
        label.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }

    @Test func `labels contain no words of addresses, badges, comments or front matter`() async throws {
        let folder = try TemporaryFolder()
        for number in 0..<80 {
            try Data(Self.note(number).utf8).write(
                to: folder.url.appendingPathComponent("note \(number).md"))
        }
        let labels = try await labels(of: folder.url)
        #expect(labels.count > 1)
        for label in labels {
            #expect(Self.markup.isDisjoint(with: words(of: label)), "\(label)")
            #expect(!words(of: label).filter { word in Self.subjects.contains { $0.contains(word) } }.isEmpty)
        }
    }

    @Test func `labels of the sample vault contain no addresses and no hexadecimal numbers`() async throws {
        let labels = try await labels(of: Fixtures.folder.appendingPathComponent("vault"))
        #expect(labels.count > 1)
        let markup: Set<String> = ["http", "https", "www", "shields", "badge", "img", "svg", "png", "html"]
        for label in labels {
            let words = words(of: label)
            #expect(markup.isDisjoint(with: words), "\(label)")
            let hexadecimal = words.filter { word in
                word.count >= 5 && word.allSatisfy(\.isHexDigit) && word.contains(where: \.isNumber)
            }
            #expect(hexadecimal.isEmpty, "\(label)")
        }
    }
}
