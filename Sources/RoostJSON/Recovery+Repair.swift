import Foundation
import RoostFiles
import RoostModel

extension Recovery {
    /// Puts the store together from what is whole, as a new generation of a new epoch. What is damaged is
    /// moved into a folder with the date in its name; nothing is deleted.
    ///
    /// The writers' lock must be held.
    /// - Throws: ``StorageError`` with `.damaged` where nothing can be had; nothing is changed then.
    mutating func repair() throws {
        var outcome = try inspect()
        try AtomicFile.removeLeftovers(in: directory, files: files)
        let aside = directory.appendingPathComponent("damaged-\(SetAside.timestamp())")
        guard !outcome.isWhole else {
            // What is damaged is only there to fall back on.
            if !outcome.damaged.isEmpty { try setAside(outcome.damaged, in: aside) }
            return
        }
        guard outcome.base != nil else {
            throw StorageError(
                .damaged,
                "\(directory.path): no generation of it can be read; put back a copy. Nothing was changed")
        }
        try files.createFolder(aside)
        if outcome.lost > 0 {
            // So that the next ingest of them brings back what it can.
            let records = outcome.state.sources.map {
                Source(id: $0.id, fingerprint: "", ingestedAt: $0.ingestedAt)
            }
            try outcome.state.apply(WriteBatch(sources: records))
        }
        outcome.state.renewEpoch()
        // What was there is numbered on, so that no name is used twice.
        let number = max(LocalFiles.newestGeneration(directory), journalNumbers().last ?? 0) + 1
        let generation = try Generation.write(
            outcome.state, number: number, in: directory, from: outcome.contents, files: files)
        let current = LocalFiles.currentURL(directory)
        if outcome.damaged.contains(current), let data = try LocalFiles.contents(of: current) {
            try AtomicFile.write(data, to: aside.appendingPathComponent("CURRENT"), files: files)
        }
        try AtomicFile.write(try generation.encoded(), to: current, files: files)
        CommitMark(generation: number, length: 0).write(directory, files)
        // The store is the new generation from here on; what is damaged is only in the way.
        try setAside(outcome.damaged.filter { $0 != current && $0 != directory }, in: aside)
        // The copies for people may have what the rest has lost.
        try setAside(
            [Generation.entriesFile, Generation.clustersFile].map(directory.appendingPathComponent), in: aside
        )
        for name in [Generation.entriesFile, Generation.clustersFile] {
            let target = directory.appendingPathComponent(name)
            let source = Generation.folder(number, in: directory).appendingPathComponent(name)
            try AtomicFile.copy(source, to: target, files: files)
        }
        findings.append(
            .note(
                directory.path,
                "now has \(outcome.state.stamp.entryCount) entries at revision "
                    + "\(outcome.state.stamp.revision) in a new epoch; what was damaged is in \(aside.path)"))
    }

    private mutating func setAside(_ urls: [URL], in aside: URL) throws {
        try files.createFolder(aside)
        for url in Set(urls) where FileManager.default.fileExists(atPath: url.path) {
            let name = url.path.dropFirst(directory.path.count + 1).replacingOccurrences(of: "/", with: "-")
            try files.rename(url.path, to: aside.appendingPathComponent(name).path)
            findings.append(.note(url.path, "was moved into \(aside.path)"))
        }
        try files.synchronizeFolder(aside)
        try files.synchronizeFolder(directory)
    }
}
