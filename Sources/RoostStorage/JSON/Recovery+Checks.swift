import Foundation
import RoostFiles
import RoostModel

extension Recovery {
    /// Checks all generations, and returns the readable ones, newest first.
    mutating func candidates(_ current: Generation?, _ outcome: inout Outcome) throws -> [Candidate] {
        let numbers = folder.generationNumbers
        let newest = current?.number ?? numbers.last ?? 0
        var candidates: [Candidate] = []
        for number in numbers.reversed() where number <= newest {
            let url = folder.generation(number)
            let before = findings.count
            var candidate: Candidate?
            if let generation = number == current?.number ? current : record(of: number) {
                candidate = try check(generation, url)
            } else if hasRecord(url) {
                findings.append(
                    .damage(url.path, "has a damaged record \(Generation.recordFile)", remedy: Self.remedy))
            } else {
                findings.append(.note(url.path, "is an incomplete or partly removed generation"))
            }
            guard findings[before...].contains(where: { $0.severity == .damage }) else {
                if let candidate { candidates.append(candidate) }
                continue
            }
            if number != newest, !hasRecord(url) {
                // The generation is older and its record is missing, so a writer is currently removing it.
                findings.removeSubrange(before...)
                continue
            }
            if let candidate { candidates.append(candidate) }
            outcome.damaged.append(url)
            // Damage to an older generation does not affect the store unless a repair needs that generation.
            if number == newest { outcome.isIntact = false }
        }
        if let current, !numbers.contains(current.number) {
            damage(folder.generation(current.number), "is missing", &outcome)
        }
        return candidates
    }

    private func hasRecord(_ generation: URL) -> Bool {
        FileManager.default.fileExists(
            atPath: generation.appendingPathComponent(Generation.recordFile).path)
    }

    private func record(of number: Int) -> Generation? {
        let url = folder.generation(number).appendingPathComponent(Generation.recordFile)
        guard let data = try? StoreFolder.contents(of: url) else { return nil }
        return try? Generation.decoded(data, path: url.path)
    }

    private mutating func check(_ generation: Generation, _ url: URL) throws -> Candidate? {
        let clusters = url.appendingPathComponent(Generation.clustersFile)
        let bytes = try StoreFolder.contents(of: clusters)
        if bytes?.count != generation.clusters.size
            || bytes.map({ SHA256.hexadecimal($0) }) != generation.clusters.sha256
        {
            // Only other programs need this file, because the store reads the clusters from the sidecar.
            findings.append(
                .damage(clusters.path, "is damaged; the store itself does not read it"))
        }
        do {
            let (state, contents) = try generation.open(in: folder)
            let (damaged, isFrameIntact) = try contents.verify(isCancelled: isCancelled)
            let entries = url.appendingPathComponent(Generation.entriesFile)
            if !isFrameIntact {
                findings.append(
                    .damage(entries.path, "is damaged between the entries", remedy: Self.remedy))
            }
            if !damaged.isEmpty {
                findings.append(
                    .damage(
                        entries.path,
                        "the checksums of \(damaged.count) of \(contents.count) entries do not match",
                        remedy: Self.remedy))
            }
            return Candidate(
                number: generation.number, state: state, contents: contents, damagedEntries: damaged)
        } catch let error as StorageError where error.code == .damaged {
            findings.append(.damage(url.path, error.message))
        } catch let error as FileError where error.isMissing {
            findings.append(.damage(error.path, "is missing"))
        }
        return texts(of: generation)
    }

    /// Reads a generation from its JSON files, without the sidecar. All changes get the revision of the
    /// generation, so that the journal continues from it.
    ///
    /// - Returns: `nil` if the files are damaged too.
    private func texts(of generation: Generation) -> Candidate? {
        let url = folder.generation(generation.number)
        let entries = url.appendingPathComponent(Generation.entriesFile)
        guard let size = try? StoreFolder.contents(of: entries)?.count, size == generation.entries.size,
            let texts = try? ForeignFolder.read(url), texts.stamp.entryCount == generation.entryCount,
            generation.revision > .zero
        else { return nil }
        var state = StoreState(
            store: texts.stamp.store, revision: Revision(rawValue: generation.revision.rawValue - 1))
        do {
            var batch = WriteBatch(
                upserts: try texts.archivableEntries.map { try texts.entry(of: $0) },
                clusters: texts.clustersWithMembers())
            batch.assignments = texts.assignments
            try state.apply(batch)
        } catch {
            return nil
        }
        state.advance(to: generation.revision)
        return Candidate(number: generation.number, state: state)
    }

    /// Checks the journals, and returns the contents of each, keyed by the number of its generation.
    mutating func journals(
        _ current: Generation?, _ mark: CommitMark?, _ outcome: inout Outcome
    ) throws -> [Int: Journal.Contents] {
        var journals: [Int: Journal.Contents] = [:]
        for number in folder.journalNumbers {
            let url = folder.journal(number)
            guard let data = try StoreFolder.contents(of: url) else { continue }
            let contents = data.withUnsafeBytes { Journal.read($0) }
            // A journal before the current one cannot be used without its generation.
            if contents.damage != nil, number < current?.number ?? 0, !hasRecord(folder.generation(number)) {
                continue
            }
            journals[number] = contents
            if let offset = contents.damage {
                findings.append(
                    .damage(url.path, "is damaged from byte \(offset) on", remedy: Self.remedy))
                outcome.damaged.append(url)
                if number >= current?.number ?? 0 {
                    outcome.isIntact = false
                    outcome.hasUnreadableCommits = true
                }
            } else if contents.tail > 0, current?.number == number {
                findings.append(
                    .note(
                        url.path, "ends with \(contents.tail) bytes of an incomplete commit",
                        remedy: "is not needed: the next commit moves them to another file"))
            }
        }
        if let mark, mark.generation == current?.number {
            let url = folder.journal(mark.generation)
            let length = journals[mark.generation]?.length ?? 0
            outcome.hasUnreadableCommits = outcome.hasUnreadableCommits || mark.length > length
            if journals[mark.generation] == nil, mark.length > 0 {
                damage(url, "is missing", &outcome)
            } else if mark.length > length {
                damage(url, "ends \(mark.length - length) bytes before its last commit", &outcome)
            }
        }
        return journals
    }
}
