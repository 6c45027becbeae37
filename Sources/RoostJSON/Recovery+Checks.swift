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
        // The published copies are those of the newest generation, whose journal shows its number if
        // `CURRENT` cannot be read.
        let last = current?.number ?? max(newest, folder.journalNumbers.last ?? 0)
        if !candidates.contains(where: { $0.number >= last }), let copy = published(last) {
            candidates.insert(copy, at: 0)
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

    /// Checks the files of a generation.
    ///
    /// - Returns: The readable part of the generation, or `nil` if nothing can be read.
    /// - Throws: `FileError` if a file cannot be read for a reason other than damage; `CancellationError`.
    private mutating func check(_ generation: Generation, _ url: URL) throws -> Candidate? {
        let clusters = url.appendingPathComponent(Generation.clustersFile)
        let bytes = try StoreFolder.contents(of: clusters)
        if bytes?.count != generation.clusters.size
            || bytes.map({ Checksum.hexadecimal($0) }) != generation.clusters.sha256
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
            let candidate = Candidate(
                number: generation.number, state: state, contents: contents, damagedEntries: damaged)
            return damaged.isEmpty ? candidate : try completed(candidate, generation)
        } catch let error as StorageError where error.code == .damaged {
            findings.append(.damage(url.path, error.message))
        } catch let error as FileError where error.isMissing {
            findings.append(.damage(error.path, "is missing"))
        }
        return textOnly(generation.number)
    }

    /// Returns the candidate, with its entries read from the published copy instead if the copy has fewer
    /// damaged entries.
    ///
    /// - Throws: `CancellationError`. A copy that cannot be read is ignored.
    private mutating func completed(_ candidate: Candidate, _ generation: Generation) throws -> Candidate {
        let copy = folder.file(Generation.entriesFile)
        guard let (state, contents) = try? generation.open(in: folder, text: copy) else { return candidate }
        let damaged: [Int]
        do {
            damaged = try contents.verify(isCancelled: isCancelled).damaged
        } catch  where !(error is CancellationError) {
            return candidate
        }
        guard damaged.count < candidate.damagedEntries.count else { return candidate }
        findings.append(
            .note(copy.path, "contains \(candidate.damagedEntries.count - damaged.count) of them intact"))
        var candidate = candidate
        candidate.state = state
        candidate.contents = contents
        candidate.damagedEntries = damaged
        return candidate
    }

    /// Reads the JSON files of a generation without its sidecar.
    func textOnly(_ number: Int) -> Candidate? {
        let url = folder.generation(number)
        let entries = url.appendingPathComponent(Generation.entriesFile)
        guard FileManager.default.fileExists(atPath: entries.path),
            let state = try? ForeignFolder.read(url)
        else { return nil }
        return Candidate(number: number, state: state, isTextOnly: true)
    }

    /// Reads the published copies of the JSON files, which are those of the newest generation.
    func published(_ number: Int) -> Candidate? {
        guard FileManager.default.fileExists(atPath: folder.file(Generation.entriesFile).path),
            let state = try? ForeignFolder.read(folder.url)
        else { return nil }
        return Candidate(number: number, state: state, isTextOnly: true, isPublished: true)
    }

    /// Checks the journals, and returns the contents of each, keyed by the number of its generation.
    mutating func journals(
        _ current: Generation?, _ mark: CommitMark?, _ outcome: inout Outcome
    ) throws -> [Int: Journal.Contents] {
        var journals: [Int: Journal.Contents] = [:]
        for number in folder.journalNumbers {
            let url = folder.journal(number)
            guard let data = try StoreFolder.contents(of: url) else { continue }
            let contents = data.withUnsafeBytes { Journal.readingPastDamage($0) }
            // A journal before the current one cannot be used without its generation. Those of format 1 have
            // no records, and their journals have another form; the next generations remove them.
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
