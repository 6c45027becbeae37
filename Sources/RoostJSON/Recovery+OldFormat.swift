import Foundation
import RoostModel

extension Recovery {
    /// Checks a store of format 1, whose generations have no records and no checksums of single entries.
    ///
    /// If a file is damaged, the texts of the newest readable generation, or otherwise the published copy,
    /// are used with the commits in its journal.
    ///
    /// - Parameter record: The contents of `CURRENT`.
    mutating func inspectOldFormat(_ record: Data, _ outcome: Outcome) throws -> Outcome {
        var outcome = outcome
        findings.append(.note(folder.path, "has format 1; the next commit writes the current format"))
        do {
            outcome.state = try LocalFiles(directory: folder.url, options: .init()).withLoaded { $0.state }
        } catch let error as StorageError where error.code == .damaged {
            damage(folder.url, error.message, &outcome)
            outcome.damaged.append(folder.current)
            var candidates = folder.generationNumbers.reversed().compactMap(textOnly)
            let number = (try? JSONDecoder().decode(OldGeneration.self, from: record))?.number ?? 0
            if !candidates.contains(where: { $0.number >= number }), let copy = published(number) {
                candidates.insert(copy, at: 0)
            }
            try choose(candidates, try journalsOfOldFormat(&outcome), nil, &outcome)
        }
        return outcome
    }

    private mutating func journalsOfOldFormat(_ outcome: inout Outcome) throws -> [Int: Journal.Contents] {
        var journals: [Int: Journal.Contents] = [:]
        for number in folder.journalNumbers {
            let url = folder.journal(number)
            guard let data = try StoreFolder.contents(of: url) else { continue }
            let contents = data.withUnsafeBytes { Journal.read($0, format: OldGeneration.format) }
            if let offset = contents.damage {
                damage(url, "is damaged from byte \(offset) on", &outcome)
                outcome.hasUnreadableCommits = true
            }
            journals[number] = contents
        }
        return journals
    }
}
