import Foundation
import TestSupport
import Testing

@testable import Roost

/// Random changes of a folder, compared with a model. `ROOST_SYNC_SEQUENCES` sets the number of sequences.
@Suite(.temporaryFolders) struct SyncModelTests {
    private static let sequences =
        ProcessInfo.processInfo.environment["ROOST_SYNC_SEQUENCES"].flatMap { Int($0) } ?? 40
    private static let folders = ["", "a/", "b/", "a/deep/", "c d/"]

    private struct Trial {
        let fixture: SyncFixture
        var model = SyncModel()
        var random: Seeded
        private var count = 0
        /// The texts of all files that have been copied.
        private var copies: Set<String> = []
        /// The texts at the last sync by path.
        private var lastTexts: [String: String] = [:]
        private let makesCopies: Bool

        init(seed: Int) throws {
            fixture = try SyncFixture()
            random = Seeded(state: UInt64(seed))
            makesCopies = seed % 3 == 0
        }

        private mutating func newText() -> String {
            count += 1
            return "text \(count): " + (0..<5).map { _ in "w\(random.next() % 50)" }.joined(separator: " ")
        }

        private mutating func unusedPath() -> String {
            while true {
                let folder = SyncModelTests.folders.randomElement(using: &random) ?? ""
                let path = "\(folder)n\(random.next() % 12).md"
                if model.files[path] == nil { return path }
            }
        }

        mutating func change() throws {
            let path = model.files.keys.sorted().randomElement(using: &random)
            switch (random.next() % 10, path) {
            case (0...2, _), (_, nil):
                let (path, text) = (unusedPath(), newText())
                try fixture.write(text, to: path)
                model.files[path] = .init(text: text)
            case (3...4, let path?):
                let text = newText()
                try fixture.write(text, to: path, atomically: random.next() % 2 == 0)
                model.files[path] = .init(text: text)
            case (5...6, let path?):
                let target = unusedPath()
                try fixture.rename(path, to: target)
                model.files[target] = model.files.removeValue(forKey: path)
            case (7, let path?): try replaceFile(with: path)
            case (8, let path?):
                try fixture.remove(path)
                model.files[path] = nil
            case (_, let path?): try copy(path)
            }
        }

        private mutating func replaceFile(with path: String) throws {
            let others = model.files.keys.filter { $0 != path }.sorted()
            guard let target = others.randomElement(using: &random) else { return }
            try fixture.rename(path, to: target)
            model.files[target] = model.files.removeValue(forKey: path)
        }

        /// Copies a file. The text of the copy is that of a stored entry, so it need not be embedded.
        private mutating func copy(_ path: String) throws {
            guard makesCopies, let file = model.files[path] else { return }
            let target = unusedPath()
            try fixture.write(file.text, to: target)
            model.files[target] = .init(text: file.text)
            copies.insert(file.text)
        }

        /// Syncs, and compares the store with the model.
        ///
        /// - Parameter ids: The ids of the entries by their numbers.
        mutating func check(_ ids: inout [Int: Entry.ID], _ comment: Comment) async throws {
            let (old, origins) = (model.texts, model.files.compactMapValues(\.origin))
            // A copy can have the inode of a replaced file with the same text. It is then a renamed file.
            let isAmbiguous = lastTexts.contains { path, text in
                copies.contains(text) && model.files[path]?.text != text
            }
            lastTexts = model.files.mapValues(\.text)
            model.sync()
            try await fixture.sync()
            let embedded = fixture.embedder.takeTexts()
            #expect(Set(embedded).count == embedded.count, "a text was embedded twice: \(comment)")
            // A store in memory finds one of several entries with the same text, which may have been changed.
            let again = old.intersection(embedded).subtracting(copies)
            #expect(again.isEmpty, "a stored text was embedded again: \(comment)")
            let entries = try await fixture.entries()
            #expect(entries.mapValues(\.content) == model.files.mapValues(\.text), comment)
            for (path, entry) in entries {
                guard let number = model.numbers[path], !isAmbiguous else { continue }
                // Of two files with the same text, either can be the one that was renamed.
                guard !copies.contains(entry.content) else { continue }
                if let id = ids[number] { #expect(entry.id == id, "\(path) of \(origins): \(comment)") }
                if let id = ids[number] { #expect(entry.tags == ["n\(id.text.prefix(8))"], comment) }
            }
            ids = [:]
            for (path, entry) in entries {
                if let number = model.numbers[path] { ids[number] = entry.id }
                let tag = "n\(entry.id.text.prefix(8))"
                if entry.tags.isEmpty {
                    try await fixture.store.update([entry.id], EntryChanges(addedTags: [tag]))
                }
            }
            #expect(Set(ids.values).count == entries.count, comment)
            let unchanged = try await fixture.sync()
            #expect(!unchanged.hasChanges && fixture.embedder.takeTexts().isEmpty, comment)
        }
    }

    @Test(arguments: 0..<sequences)
    func `a synced store equals a model after random changes`(seed: Int) async throws {
        var trial = try Trial(seed: seed)
        // Half of the sequences rely on the status of the files, the others read all files each time.
        let usesStatus = seed % 2 == 0
        if usesStatus { trial.fixture.options.settlingTime = 10_000_000 }
        var ids: [Int: Entry.ID] = [:]
        for round in 0..<6 {
            for _ in 0...(trial.random.next() % 7) { try trial.change() }
            if usesStatus { try await Task.sleep(for: .milliseconds(25)) }
            try await trial.check(&ids, "seed \(seed), round \(round)")
        }
    }
}

/// The expected state of a synced folder: a dictionary of files, each with the number of the entry that it should have.
struct SyncModel {
    /// A file since the last sync.
    struct File {
        var text: String
        /// The path at the last sync, if the text has not changed since then.
        var origin: String?
    }

    var files: [String: File] = [:]
    /// The number of the entry of each file at the last sync.
    private(set) var numbers: [String: Int] = [:]
    /// The texts at the last sync.
    private(set) var texts: Set<String> = []
    private var nextNumber = 0

    /// Updates the numbers as a sync should.
    ///
    /// A file keeps its number if its path had one. A file that was renamed has the number of its origin,
    /// unless the target had a file that was not renamed itself.
    mutating func sync() {
        var moves: [String: String] = [:]
        for (path, file) in files {
            if let origin = file.origin, origin != path { moves[path] = origin }
        }
        while true {
            let leaving = Set(moves.values)
            let kept = moves.filter { numbers[$0.key] == nil || leaving.contains($0.key) }
            if kept.count == moves.count { break }
            moves = kept
        }
        let leaving = Set(moves.values)
        var new: [String: Int] = [:]
        for path in files.keys.sorted() {
            if let origin = moves[path] {
                new[path] = numbers[origin]
            } else if let number = numbers[path], !leaving.contains(path) {
                new[path] = number
            } else {
                new[path] = nextNumber
                nextNumber += 1
            }
        }
        numbers = new
        texts = Set(files.values.map(\.text))
        for path in files.keys { files[path]?.origin = path }
    }
}
